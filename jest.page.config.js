import base from "./jest.config.js";

/**
 * Tests of the dashboard's page in a headless Chromium.
 *
 * @type {import("jest").Config}
 */
export default {
  ...base,
  maxWorkers: 1,
  roots: ["<rootDir>/test/page"],
  testPathIgnorePatterns: ["/node_modules/"],
};
