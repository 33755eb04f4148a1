import { randomUUID } from "node:crypto";
import { Body, Controller, HttpCode, HttpException, InternalServerErrorException, Post, Res } from "@nestjs/common";
import type { Response } from "express";
import {
  lastReply,
  pieceReply,
  usageReply,
  wholeReply,
  type CompletionReply,
  type ReplyHead,
} from "./completion-reply.js";
import { CompletionRequest } from "./completion-request.js";
import { CompletionsService } from "./completions.service.js";

/** `POST /v1/completions`, as clients of OpenAI's API ask for it. */
@Controller("v1")
export class CompletionsController {
  constructor(private readonly completions: CompletionsService) {}

  @Post("completions")
  @HttpCode(200)
  async create(@Body() request: CompletionRequest, @Res() response: Response): Promise<void> {
    const client = new AbortController();
    response.once("close", () => client.abort(new Error("The client went away.")));
    const head: ReplyHead = {
      id: `cmpl-${randomUUID()}`,
      object: "text_completion",
      created: Math.floor(Date.now() / 1000),
      model: request.model,
    };
    try {
      if (request.stream) await this.#stream(head, request, response, client.signal);
      else response.json(wholeReply(head, request, await this.completions.complete(request, client.signal)));
    } catch (error) {
      if (client.signal.aborted) return;
      // Too late for another status: the stream breaks off, without its [DONE].
      if (response.headersSent) response.destroy();
      else throw error instanceof HttpException ? error : new InternalServerErrorException(error);
    }
  }

  /** Server-sent events, the first as soon as there is a token. */
  async #stream(head: ReplyHead, request: CompletionRequest, response: Response, signal: AbortSignal): Promise<void> {
    const send = (reply: CompletionReply): void => void response.write(`data: ${JSON.stringify(reply)}\n\n`);
    const start = (): void => {
      if (response.headersSent) return;
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    };
    let sent = 0;
    const generation = await this.completions.complete(request, signal, (piece, token) => {
      start();
      sent += piece.length;
      send(pieceReply(head, request, piece, token));
    });
    start();
    send(lastReply(head, generation.text.slice(sent), generation));
    if (request.stream_options.include_usage) send(usageReply(head, generation));
    response.end("data: [DONE]\n\n");
  }
}
