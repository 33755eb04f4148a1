/** A text of about `characters` characters, one token each, that another seed gives another beginning. */
export function promptOf(/** @type {number} */ characters, seed = 0) {
  const text = `Note ${seed}. The quick brown fox jumps over the lazy dog, and the dog has seen it all before. `;
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}
