export { isSecretKey, REDACTED, redactText } from "../errors/secrets.js";
