import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Computes the code that an authenticator shows for a base32 secret (RFC 6238: SHA-1, 30 seconds, six digits). It does
 * not use the implementation of the service. The service accepts the codes of the current, the previous and the next
 * time step, each only once. Codes with `later` 0 or 1 are therefore valid for at least 30 seconds; a code with `later`
 * -1 may expire earlier.
 * @param later the time step of the code, counted from that of `time`
 * @param time Unix time in milliseconds
 */
export function totpCode(secret: string, later = 0, time = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000) + later));
  const hash = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const at = (hash.at(-1) as number) & 0x0f;
  return String((hash.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** A code of six digits that differs from the codes of all time steps near the current one. */
export function wrongTotpCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((later) => totpCode(secret, later)));
  for (let code = 0; ; code += 1) {
    const text = String(code).padStart(6, '0');
    if (!near.has(text)) return text;
  }
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((char) => alphabet.indexOf(char).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
