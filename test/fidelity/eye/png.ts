import { crc32, deflateSync } from 'node:zlib';

/** A picture of three bytes a pixel: red, green, blue. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

export function blank(width: number, height: number, gray: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height * 3).fill(gray) };
}

/** Reads a binary portable pixmap, as pdftoppm writes it. */
export function readPpm(bytes: Uint8Array): Picture {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(bytes.subarray(0, 60)).toString('latin1'));
  if (!head) throw new Error('not a portable pixmap');
  return { width: Number(head[1]), height: Number(head[2]), pixels: bytes.subarray(head[0].length) };
}

/** Copies a picture onto another, which must be large enough. */
export function paste(onto: Picture, picture: Picture, left: number, top: number): void {
  for (let row = 0; row < picture.height; row++) {
    const from = row * picture.width * 3;
    onto.pixels.set(
      picture.pixels.subarray(from, from + picture.width * 3),
      ((row + top) * onto.width + left) * 3,
    );
  }
}

/** Draws a frame of one pixel. Pixels outside of the picture are left out. */
export function drawFrame(
  onto: Picture,
  [left, top, right, bottom]: readonly [number, number, number, number],
  color: readonly [number, number, number],
): void {
  const dot = (x: number, y: number): void => {
    if (x >= 0 && y >= 0 && x < onto.width && y < onto.height)
      onto.pixels.set(color, (y * onto.width + x) * 3);
  };
  const [x1, y1, x2, y2] = [left, top, right, bottom].map(Math.round) as [number, number, number, number];
  for (let x = Math.max(0, x1); x <= Math.min(x2, onto.width); x++) for (const y of [y1, y2]) dot(x, y);
  for (let y = Math.max(0, y1); y <= Math.min(y2, onto.height); y++) for (const x of [x1, x2]) dot(x, y);
}

/** The number of levels of each color in a file. Fewer levels make it smaller. */
const levels = 8;

/** Writes a PNG with few colors. */
export function writePng({ width, height, pixels }: Picture): Buffer {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  const reduced = Array.from({ length: 256 }, (_, value) =>
    Math.round((Math.round((value * (levels - 1)) / 255) * 255) / (levels - 1)),
  );
  for (let row = 0; row < height; row++) {
    const [from, to] = [row * width * 3, row * (width * 3 + 1) + 1];
    for (let index = 0; index < width * 3; index++) rows[to + index] = reduced[pixels[from + index]!]!;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
