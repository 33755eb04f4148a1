/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: {
    "^(\\.{1,2}/.*/worker/.*)\\.js$": "$1.js",
    "^(\\.{1,2}/.*)\\.js$": "$1",
    "^kvtier$": "<rootDir>/src/index.ts",
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
