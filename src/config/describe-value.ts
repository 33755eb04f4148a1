import { redactText } from "../errors/secrets.js";

const MAX_SHOWN = 60;

/** What sort of value it is, with its article and without its content: `a string`, `an array`, `a Uint8Array instance`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const className = classNameOf(value);
  return className === "Object" || className === "" ? "an object" : `an instance of ${className}`;
}

/** The value itself when it is short and simple, else its kind. Never call it with a secret. */
export function describeValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return kindOf(value);
  const text = redactText(value);
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function classNameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null) return "";
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  return typeof constructor === "function" ? constructor.name : "";
}
