import { describe, expect, it } from "@jest/globals";
import { S3Error } from "../../../../src/tiers/obj/s3-error.js";
import { storeUnusable } from "../../../../src/tiers/obj/store-unusable.js";

const WHERE = 'The bucket "kv" at http://127.0.0.1:1';

describe("What an S3 server refuses a request with", () => {
  it.each([
    ["nothing", "", "GET was answered 404 HTTP_404"],
    ["a code", "<Error><Code>NoSuchBucket</Code></Error>", "GET was answered 404 NoSuchBucket"],
    ["no words", "<Code>NoSuchBucket</Code><Message></Message>", "GET was answered 404 NoSuchBucket"],
    ["blank words", "<Code>NoSuchBucket</Code><Message> </Message>", "GET was answered 404 NoSuchBucket"],
    ["words", "<Code>NoSuchBucket</Code><Message>Gone.</Message>", "GET was answered 404 NoSuchBucket: Gone."],
  ])("is told in one sentence when the server says %s", (_name, body, message) => {
    expect(S3Error.of("GET", 404, body).message).toBe(message);
  });

  it.each(["", "The specified bucket does not exist."])("is told with what to check after it (%j)", (words) => {
    const error = S3Error.of("GET", 404, `<Code>NoSuchBucket</Code><Message>${words}</Message>`);
    const said = words === "" ? "" : `: ${words.slice(0, -1)}`;
    expect(storeUnusable(WHERE, error).message).toBe(
      `${WHERE} cannot be used: GET was answered 404 NoSuchBucket${said}. Create the bucket, or correct bucket.`,
    );
  });
});
