/** A command and its arguments; one of several pieces is sent as if they were one. */
export type BlockCommand = readonly (string | readonly Uint8Array[])[];

/** `command` as a server reads it, in pieces to be sent one after the other. The pieces of its arguments are not copied. */
export function encodeCommand(command: BlockCommand): Uint8Array[] {
  const encoded: Uint8Array[] = [];
  let text = `*${command.length}\r\n`;
  for (const argument of command) {
    if (typeof argument === "string") {
      text += `$${Buffer.byteLength(argument)}\r\n${argument}\r\n`;
      continue;
    }
    const bytes = argument.reduce((sum, piece) => sum + piece.byteLength, 0);
    encoded.push(Buffer.from(`${text}$${bytes}\r\n`), ...argument);
    text = "\r\n";
  }
  encoded.push(Buffer.from(text));
  return encoded;
}
