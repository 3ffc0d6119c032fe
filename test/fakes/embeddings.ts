import { createHash } from 'node:crypto';
import { type RecordedRequest, type Reply, translatingReply } from './openai.ts';

export interface EmbeddingOptions {
  /** The number of components of each vector. */
  length?: number;
  /** Returns the components as JSON numbers, like endpoints that do not support Base64. */
  numbers?: boolean;
  /** Changes the body of the response before it is sent. */
  change?: (body: EmbeddingsBody) => unknown;
}

export interface EmbeddingsBody {
  object: 'list';
  data: { object: 'embedding'; index: number; embedding: string | number[] }[];
  model: string;
}

/** Words that the fake treats as synonyms. The vector of a sentence is the sum of the vectors of its words. */
const synonyms = [
  ['begin', 'start', 'launch', 'commence'],
  ['device', 'machine', 'unit', 'appliance'],
  ['remove', 'delete', 'erase', 'discard'],
  ['picture', 'image', 'photo'],
  ['broken', 'damaged', 'defective'],
];
const meaningless = new Set('a an the is are to of on in it this that your you please'.split(' '));

/**
 * Responds like an embedding model: the vectors of two texts are close if the texts have the same words or synonyms.
 */
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

/** Responds to embedding requests and to chat completions, according to the path of the request. */
export function atItsPath(embed: Reply, chat: Reply = translatingReply()): Reply {
  return (response, request) => (isEmbedding(request) ? embed : chat)(response, request);
}

export const isEmbedding = ({ path }: RecordedRequest): boolean => path.endsWith('/embeddings');

/** All texts for which an embedding was requested, in the order of the requests. */
export const embeddedTexts = (requests: readonly RecordedRequest[]): string[] =>
  requests.filter(isEmbedding).flatMap(({ body }) => [body['input']].flat() as string[]);

export function meaningOf(text: string, length = 384): Float32Array {
  const sum = new Float32Array(length);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (meaningless.has(word)) continue;
    const meaning = synonyms.find((words) => words.includes(word))?.[0] ?? word;
    for (const [at, component] of directionOf(meaning, length).entries()) sum[at]! += component;
  }
  // A real model never returns a vector of zeros.
  if (!sum.some((component) => component !== 0)) sum[0] = 1;
  return sum;
}

/** Pseudorandom components between -0.5 and 0.5. The same word always has the same components. */
function directionOf(word: string, length: number): number[] {
  const components: number[] = [];
  for (let round = 0; components.length < length; round++)
    for (const byte of createHash('sha512').update(`${word} ${round}`).digest())
      components.push(byte / 255 - 0.5);
  return components.slice(0, length);
}
