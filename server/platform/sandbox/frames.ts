import { deserialize, serialize } from 'node:v8';

/** A message between the service and a child process: a header and a value. */
export interface Frame<Head> {
  head: Head;
  value: unknown;
}

/** A frame that has been received. */
export interface ReadFrame<Head> extends Frame<Head> {
  /** The number of bytes of the frame's parts, without the length fields. */
  bytes: number;
}

interface Body<Head> extends Frame<Head> {
  /**
   * For each attachment, the name of the value's property that contains it; null if the attachment is the value
   * itself.
   */
  places: (string | null)[];
}

/** The number of bytes of the two numbers at the start: the length of the body, and the number of attachments. */
const fixedLength = 8;
/** Maximum attachments of a task; no task has nearly as many. */
const maxAttachments = 64;

/**
 * Encodes a frame as byte arrays that are to be written in this order. A `Uint8Array` that is the value or one of its
 * properties is attached unchanged: if it were serialized, the service would hold each file in memory twice.
 */
export function encodeFrame<Head>(head: Head, value: unknown): Uint8Array[] {
  const attachments: Uint8Array[] = [];
  const places: (string | null)[] = [];
  let rest = value;
  if (value instanceof Uint8Array) {
    attachments.push(value);
    places.push(null);
    rest = undefined;
  } else if (isPlain(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (!(part instanceof Uint8Array)) continue;
      attachments.push(part);
      places.push(key);
    }
    rest = Object.fromEntries(Object.entries(value).filter(([key]) => !places.includes(key)));
  }
  const body = serialize({ head, value: rest, places } satisfies Body<Head>);
  const lengths = Buffer.alloc(fixedLength + 4 * attachments.length);
  lengths.writeUInt32LE(body.length, 0);
  lengths.writeUInt32LE(attachments.length, 4);
  for (const [index, { length }] of attachments.entries())
    lengths.writeUInt32LE(length, fixedLength + 4 * index);
  return [lengths, body, ...attachments];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Reads frames from the chunks of a stream. Each chunk is copied into the part to which it belongs, so that the
 * chunks of a large frame do not stay in memory in addition.
 *
 * @param maxBytes maximum bytes of a frame
 */
export class FrameReader<Head> {
  readonly #maxBytes: number;
  readonly #onFrame: (frame: ReadFrame<Head>) => void;
  /** The part of a frame that is being received. */
  #part = Buffer.alloc(fixedLength);
  /** The number of bytes of `#part` that have been received. */
  #filled = 0;
  #state: 'fixed' | 'lengths' | 'parts' = 'fixed';
  #bodyLength = 0;
  #partLengths: number[] = [];
  #parts: Buffer[] = [];

  constructor(maxBytes: number, onFrame: (frame: ReadFrame<Head>) => void) {
    this.#maxBytes = maxBytes;
    this.#onFrame = onFrame;
  }

  /**
   * Reads a chunk, and passes on the frames that are now complete. @throws {RangeError} for a frame that is too large
   */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      const taken = Math.min(chunk.length - at, this.#part.length - this.#filled);
      this.#part.set(chunk.subarray(at, at + taken), this.#filled);
      at += taken;
      this.#filled += taken;
      while (this.#filled === this.#part.length) this.#finishPart();
    }
  }

  #finishPart(): void {
    const part = this.#part;
    if (this.#state === 'fixed') {
      this.#bodyLength = part.readUInt32LE(0);
      const attachments = part.readUInt32LE(4);
      if (attachments > maxAttachments)
        throw new RangeError('a message between the service and the sandbox has too many attachments');
      this.#state = 'lengths';
      this.#expect(4 * attachments);
      return;
    }
    if (this.#state === 'lengths') {
      this.#partLengths = [this.#bodyLength];
      for (let at = 0; at < part.length; at += 4) this.#partLengths.push(part.readUInt32LE(at));
      if (this.#partLengths.reduce((sum, length) => sum + length, 0) > this.#maxBytes)
        throw new RangeError('a message between the service and the sandbox has too many bytes');
      this.#state = 'parts';
    } else {
      this.#parts.push(part);
    }
    const next = this.#partLengths.shift();
    if (next !== undefined) {
      this.#expect(next);
      return;
    }
    const parts = this.#parts;
    this.#parts = [];
    this.#state = 'fixed';
    this.#expect(fixedLength);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#onFrame({ ...decode<Head>(parts), bytes });
  }

  #expect(length: number): void {
    this.#part = Buffer.alloc(length);
    this.#filled = 0;
  }
}

function decode<Head>([body, ...attachments]: Buffer[]): Frame<Head> {
  const { head, value, places } = deserialize(body!) as Body<Head>;
  let whole = value;
  for (const [index, place] of places.entries()) {
    if (place === null) whole = attachments[index];
    else (whole as Record<string, unknown>)[place] = attachments[index];
  }
  return { head, value: whole };
}

/** The header of a payload that the service sends to a child. */
export interface TaskHead {
  task: string;
}

/**
 * The header of a message from a child: first `ready` once; then, for each task, its pieces, and its result or error.
 */
export type ResponseHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  /** `residentBytes` is used only if the service cannot read the memory of the process from the system. */
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The file descriptor for messages in the child. It is not a standard stream, because libraries print to those. */
export const channel = 3;
