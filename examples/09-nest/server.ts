import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  // Without this a signal ends the process at once, and blocks that are on their way to a tier are lost.
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
  console.log(`Listening on ${await app.getUrl()}`);
}

void bootstrap();
