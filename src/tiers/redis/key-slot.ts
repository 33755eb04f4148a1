/** Slots of every cluster. */
export const SLOTS = 16384;

/** CRC-16/XMODEM, one entry for each byte. */
const CRC = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021);
  return crc;
});

/**
 * Slot of `key`, as the cluster specification has it. Keys of blocks have no braces, so there is no hash tag to look for.
 */
export function keySlot(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(key)) crc = ((crc << 8) ^ (CRC[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOTS;
}
