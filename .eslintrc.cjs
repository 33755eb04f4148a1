/** @type {import("eslint").Linter.Config} */
module.exports = {
  root: true,
  env: { node: true, es2022: true },
  parser: "@typescript-eslint/parser",
  parserOptions: { project: "./tsconfig.eslint.json", tsconfigRootDir: __dirname },
  plugins: ["@typescript-eslint"],
  extends: [
    "eslint:recommended",
    "plugin:@typescript-eslint/recommended-type-checked",
    "plugin:@typescript-eslint/stylistic-type-checked",
  ],
  // Examples that are packages of their own are checked once their dependencies are there: scripts/run-engine-examples.mjs.
  ignorePatterns: ["dist", "coverage", "node_modules", ".build", "examples/10-*", "examples/11-*"],
  rules: {
    eqeqeq: ["error", "always", { null: "ignore" }],
    "max-lines": ["error", { max: 300 }],
    "no-console": ["error", { allow: ["warn", "error"] }],
    "@typescript-eslint/consistent-type-imports": "error",
    "@typescript-eslint/explicit-module-boundary-types": "error",
    "@typescript-eslint/no-explicit-any": "error",
    "@typescript-eslint/no-floating-promises": "error",
    "@typescript-eslint/switch-exhaustiveness-check": "error",
    "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    // A no-op default of an optional hook is the documented behaviour of the contract, not an oversight.
    "@typescript-eslint/no-empty-function": "off",
    // An async method without await keeps a promise contract: what it throws becomes a rejection.
    "@typescript-eslint/require-await": "off",
  },
  overrides: [
    {
      files: ["src/**/*"],
      rules: {
        // Time comes from the injected clock and randomness from the caller; see CONTRIBUTING.md.
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: "Use the injected Clock." },
          { object: "Math", property: "random", message: "Take a seed or an injected source." },
        ],
      },
    },
    { files: ["src/cli/**/*", "examples/**/*", "scripts/**/*", "bench/**/*"], rules: { "no-console": "off" } },
    {
      // What runs in the browser, and tests that reach into it.
      files: ["src/dashboard/page/*.js", "test/page/*.ts"],
      env: { browser: true },
      parserOptions: { project: "./tsconfig.page.json", tsconfigRootDir: __dirname },
      rules: { "no-restricted-properties": "off" },
    },
    { files: ["*.cjs", "*.mjs", "*.js"], rules: { "@typescript-eslint/explicit-module-boundary-types": "off" } },
    {
      // Scripts and benches read JSON that our own tools print, without a schema for it, and import what is built.
      files: ["scripts/**/*.mjs", "bench/**/*.mjs", "examples/**/*.mjs"],
      rules: {
        "@typescript-eslint/no-unsafe-argument": "off",
        "@typescript-eslint/no-unsafe-assignment": "off",
        "@typescript-eslint/no-unsafe-call": "off",
        "@typescript-eslint/no-unsafe-member-access": "off",
        "@typescript-eslint/no-unsafe-return": "off",
      },
    },
  ],
};
