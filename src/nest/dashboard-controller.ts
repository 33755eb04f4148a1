import type { IncomingMessage, ServerResponse } from "node:http";
import {
  All,
  Controller,
  Inject,
  NotFoundException,
  Param,
  Req,
  Res,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type Type,
} from "@nestjs/common";
import { DashboardPage } from "./dashboard-page.js";

/**
 * A controller that hands what is asked below `path` to the page. A route like any other of the application: its guards,
 * those given here and its global ones, decide who may look.
 */
export function dashboardController(path: string, guards: readonly (Type<CanActivate> | CanActivate)[]): Type<unknown> {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(...guards)
  class KvTierDashboardController {
    readonly #page: DashboardPage;

    constructor(@Inject(DashboardPage) page: DashboardPage) {
      this.#page = page;
    }

    @All(["", ":file"])
    answer(
      @Param("file") file: string | undefined,
      @Req() request: IncomingMessage,
      @Res() response: ServerResponse,
    ): void {
      if (!this.#page.serve(file ?? "", request, response)) throw new NotFoundException();
    }
  }
  return KvTierDashboardController;
}
