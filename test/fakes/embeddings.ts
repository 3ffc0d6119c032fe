import { createHash } from 'node:crypto';
import { type RecordedRequest, type Reply, translatingReply } from './openai.ts';

export interface EmbeddingOptions {
  /** Components of each vector. */
  length?: number;
  /** Numbers in JSON, from endpoints without Base64. */
  numbers?: boolean;
  /** Changes the response's body. */
  change?: (body: EmbeddingsBody) => unknown;
}

export interface EmbeddingsBody {
  object: 'list';
  data: { object: 'embedding'; index: number; embedding: string | number[] }[];
  model: string;
}

/** Synonyms for the fake; a sentence's vector is the sum of its words' vectors. */
const synonyms = [
  ['begin', 'start', 'launch', 'commence'],
  ['device', 'machine', 'unit', 'appliance'],
  ['remove', 'delete', 'erase', 'discard'],
  ['picture', 'image', 'photo'],
  ['broken', 'damaged', 'defective'],
];
const meaningless = new Set('a an the is are to of on in it this that your you please'.split(' '));

/** The responses of an embeddings model: near vectors for texts with the same words, or with synonyms. */
export function embeddings(options: EmbeddingOptions = {}): Reply {
  const { length = 384, numbers = false, change = (body) => body } = options;
  return (response, { body }) => {
    const inputs = [body['input']].flat() as string[];
    const encode = (vector: Float32Array) =>
      numbers || body['encoding_format'] !== 'base64'
        ? [...vector]
        : Buffer.from(vector.buffer).toString('base64');
    const answer: EmbeddingsBody = {
      object: 'list',
      data: inputs.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: encode(meaningOf(text, length)),
      })),
      model: body.model,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(change(answer)));
  };
}

/** Embeddings and chat completions, each at its path. */
export function atItsPath(embed: Reply, chat: Reply = translatingReply()): Reply {
  return (response, request) => (isEmbedding(request) ? embed : chat)(response, request);
}

export const isEmbedding = ({ path }: RecordedRequest): boolean => path.endsWith('/embeddings');

/** The texts that were sent to be embedded, in the order of arrival. */
export const embeddedTexts = (requests: readonly RecordedRequest[]): string[] =>
  requests.filter(isEmbedding).flatMap(({ body }) => [body['input']].flat() as string[]);

export function meaningOf(text: string, length = 384): Float32Array {
  const sum = new Float32Array(length);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (meaningless.has(word)) continue;
    const meaning = synonyms.find((words) => words.includes(word))?.[0] ?? word;
    for (const [at, component] of directionOf(meaning, length).entries()) sum[at]! += component;
  }
  // A real model never returns only zeros.
  if (!sum.some((component) => component !== 0)) sum[0] = 1;
  return sum;
}

/** Pseudorandom components between -0.5 and 0.5, always the same. */
function directionOf(word: string, length: number): number[] {
  const components: number[] = [];
  for (let round = 0; components.length < length; round++)
    for (const byte of createHash('sha512').update(`${word} ${round}`).digest())
      components.push(byte / 255 - 0.5);
  return components.slice(0, length);
}
