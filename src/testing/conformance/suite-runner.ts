/** What the suite asks of an expectation. */
export interface SuiteExpectation {
  toBe(expected: unknown): unknown;
  toEqual(expected: unknown): unknown;
}

/** The three functions of a test runner that the suite uses: Jest's and Vitest's fit as they are. */
export interface SuiteRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => SuiteExpectation;
}
