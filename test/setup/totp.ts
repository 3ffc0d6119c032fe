import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The code that an authenticator shows for a base32 secret (RFC 6238: SHA-1, 30 seconds, six digits), independent of
 * the service's implementation. The service takes the codes of the present step and of its neighbours, each step once: `later` 0
 * and 1 are good whenever they arrive within half a minute, -1 may be too old by then.
 * @param later steps from `time`
 * @param time Unix time in milliseconds
 */
export function totpCode(secret: string, later = 0, time = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000) + later));
  const hash = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const at = (hash.at(-1) as number) & 0x0f;
  return String((hash.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** A code of six digits that no step near to now has. */
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
