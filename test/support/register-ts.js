import { register } from "node:module";

register("./ts-hooks.js", import.meta.url);
