import { readFile } from "node:fs/promises";
import { configInvalid } from "../config/config-invalid.js";
import { parseConfigText } from "../config/parse-config-text.js";
import { reasonOf } from "../errors/factory-errors.js";

/**
 * The value in a config file, JSON or JSON with comments.
 *
 * @param file its path, from the working folder
 * @throws KvTierError `CONFIG_INVALID` when it cannot be read.
 */
export async function readConfigFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw configInvalid([{ path: file, message: `cannot be read: ${reasonOf(error)}` }], "config file");
  }
  return parseConfigText(text, file);
}
