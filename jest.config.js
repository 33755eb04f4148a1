/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  // For tests that hang. A slow or busy machine is no failure, and 5 s is soon over on one.
  testTimeout: 60_000,
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  // These need servers, or a browser; see jest.services.config.js and jest.page.config.js.
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/services/", "<rootDir>/test/page/"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: {
    "^(\\.{1,2}/.*/worker/.*)\\.js$": "$1.js",
    "^(\\.{1,2}/.*)\\.js$": "$1",
    "^kvtier$": "<rootDir>/src/index.ts",
    "^kvtier/nest$": "<rootDir>/src/nest/index.ts",
    "^kvtier/engines$": "<rootDir>/src/engines/index.ts",
    "^kvtier/prometheus$": "<rootDir>/src/prometheus/index.ts",
    "^kvtier/testing$": "<rootDir>/src/testing/index.ts",
  },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          target: "es2022",
          parser: { syntax: "typescript", decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: true },
        },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
};
