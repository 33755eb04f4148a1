import base from "./jest.config.js";

/**
 * Tests against real servers, which they start for themselves; one file after the other.
 *
 * @type {import("jest").Config}
 */
export default {
  ...base,
  testTimeout: 180_000,
  maxWorkers: 1,
  roots: ["<rootDir>/test/services"],
  testPathIgnorePatterns: ["/node_modules/"],
};
