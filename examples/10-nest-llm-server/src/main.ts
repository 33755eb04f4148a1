import "reflect-metadata";
import { ValidationPipe } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";
import { settingsFrom } from "./settings.js";

const settings = settingsFrom(process.env);
const app = await NestFactory.create(AppModule.with(settings));
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
// On SIGTERM too the tiers are given the time to take what was stored.
app.enableShutdownHooks();
await app.listen(settings.port, "127.0.0.1");
console.log(`Ready: ${await app.getUrl()}`);
