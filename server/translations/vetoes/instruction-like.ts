import { keyedPatterns } from './keyed-patterns.ts';
import { orders, plainOrders } from './order-patterns.ts';

/** How far an order's verb and its object may stand apart, in UTF-16 units. */
const reach = 48;

/** So many verbs of an order are in no text that is one. */
const mostVerbs = 2000;

/**
 * Whether `text` gives orders as one gives them to a model: to forget its instructions, to play a part, to answer with
 * given words, to score; or poses as a part of a prompt.
 */
export function isInstructionLike(text: string): boolean {
  const said = text.toLowerCase().replace(/[’ʼ]/g, "'").replace(/\s+/g, ' ');
  let verbs = 0;
  for (const { value: object, start, end } of matches(said)) {
    if (object === undefined || ++verbs > mostVerbs) return true;
    // The object stands behind its verb or, as in Japanese, before it, within the sentence.
    const after = said.slice(end, end + reach).split(sentenceEnd, 1)[0]!;
    const before = said
      .slice(Math.max(0, start - reach), start)
      .split(sentenceEnd)
      .at(-1)!;
    if (object.test(after) || object.test(before)) return true;
  }
  return false;
}

const sentenceEnd = /[.!?।]\s|[。！？]/;

/** With the object of a verb, or nothing for what gives itself away. */
const matches = keyedPatterns<RegExp | undefined>([
  ...plainOrders.map((source) => [source, undefined] as const),
  ...orders.flatMap(({ verbs, objects }) => {
    const object = new RegExp(objects, 'u');
    return verbs.split('|').map((verb) => [verb, object] as const);
  }),
]);
