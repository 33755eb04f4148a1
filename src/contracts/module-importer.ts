/**
 * Imports the module that a config names. Replaces the whole default step: resolution, its bounds, and `import()`.
 *
 * @param specifier as written in the config
 * @param resolveFrom absolute path of the folder that relative paths and packages are resolved from
 */
export type ModuleImporter = (specifier: string, resolveFrom: string) => Promise<unknown>;
