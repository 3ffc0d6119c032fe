import {
  formatTagged,
  type InlineContent,
  parseTagged,
  parseWithoutFormats,
} from '#server/formats/inline-content.ts';
import { placeTags } from '#server/formats/tag-placing.ts';
import type { TranslationTask } from '#server/platform/engines/engine.ts';
import { placeholderNote } from '../integrity/placeholder-losses.ts';
import { sentenceDecisions } from '../leverage/leverage.ts';
import { type Draft, type Run, type RunText, spend } from './run.ts';
import { draftOf, isTagged, noteOf, type TaggedText } from './tagged-segments.ts';
import { recordStep } from './trace.ts';

/**
 * Creates the first translations of the texts of a run: those of which the TM has all sentences from the TM, the others
 * with the engine.
 * @param task the task with the segments of all texts
 */
export async function draftTexts(
  run: Run,
  task: TranslationTask,
  texts: readonly RunText[],
): Promise<Draft[]> {
  const assembled = await Promise.all(texts.map((text) => assemble(run, text)));
  if (assembled.every((draft) => draft !== null)) return assembled;
  const open = texts.filter((_, index) => assembled[index] === null);
  const tagged = open.filter(isTagged);
  if (tagged.length > 0) {
    const drafts = (await draftTagged(run, task, tagged)).values();
    return assembled.map((draft) => draft ?? drafts.next().value!);
  }
  const made = await request(run, task);
  return texts.map((of) => ({ of, ...made }));
}

/**
 * Makes the translation of a text from the TM, if the TM has all of its sentences; otherwise null. It is judged like the
 * translation of a model.
 */
async function assemble({ steps }: Run, of: RunText): Promise<Draft | null> {
  const { assembled: text, leverage } = of;
  if (text === null) return null;
  const { sentences } = leverage;
  const placed = isTagged(of) ? of.tagged.assembled : null;
  const assembledFrom = sentences.flatMap(({ hit }) => hit ?? []);
  return recordStep(
    steps,
    { name: 'tm_sentences', actor: 'memory_agent', kind: 'system', input: `${sentences.length} sentences` },
    () => ({
      value:
        isTagged(of) && placed
          ? { ...draftOf(of, placed.content, placed.isGuessed), assembledFrom }
          : { of, translations: [text], assembledFrom },
      output: 'the translation memory has all sentences',
      decisions: sentenceDecisions(sentences),
    }),
  );
}

function request(run: Run, task: TranslationTask): Promise<Pick<Draft, 'translations' | 'model'>> {
  return recordStep(
    run.steps,
    { name: 'baseline', actor: 'translator', input: `${task.sourceLang} to ${task.targetLang}` },
    async () => {
      const result = await run.engine.translate(task, run.scope, run.policy.primaryModel);
      const value = { translations: result.value, model: result.models[0] };
      return { value, output: 'baseline translation', metadata: spend(run, result) };
    },
  );
}

/**
 * Translates segments with tags. Links, addresses, code and placeholders are sent as tags, and a text of links and code
 * only is not sent. If the tags of a translation are broken, this translation is requested once more, now with these
 * words. If the tags are broken again, the last reply that lacks only formatting is used; without one, formatting is left
 * out and the other tags are placed as in a text without tags.
 */
async function draftTagged(run: Run, task: TranslationTask, texts: readonly TaggedText[]): Promise<Draft[]> {
  const drafts = texts.map((of) => {
    const { protectedText, inner } = of.tagged;
    return { of, inner: protectedText?.hasOtherWords === false ? inner : null, replies: [] as string[] };
  });
  let model: string | undefined;
  for (const isLast of [false, true]) {
    const open = drafts.filter(({ inner }) => !inner);
    if (open.length === 0) break;
    const forms = open.map(({ of: { tagged, text } }) => {
      const { protectedText } = tagged;
      if (protectedText && !isLast)
        return { ...protectedText, note: protectedText.note && `tags: ${protectedText.note}` };
      const note = placeholderNote(text.task.keep);
      return { content: tagged.inner, note, restore: (inner: InlineContent) => inner };
    });
    const made = await request(run, {
      ...task,
      segments: forms.map(({ content }) => formatTagged(content)),
      notes: open.map(({ of }, index) => noteOf(of.tagged.of, forms[index]!.note)),
      hasTags: forms.some(({ content }) => content.some((item) => typeof item !== 'string')),
    });
    model = made.model;
    for (const [index, one] of open.entries()) {
      const { content, restore } = forms[index]!;
      const reply = made.translations[index] ?? '';
      const inner = parseTagged(reply, content);
      one.inner = inner && restore(inner);
      // A broken reply with protected words is not used, because their tags would be lost with it.
      if (content === one.of.tagged.inner) one.replies.unshift(reply);
    }
  }
  return drafts.map(({ of, inner, replies }) => {
    const { inner: source } = of.tagged;
    const read =
      inner ?? replies.map((reply) => parseWithoutFormats(reply, source)).find((one) => one !== null);
    if (read) return { ...draftOf(of, read, false), model };
    const placed = placeTags(replies.at(-1)!.replace(/<\/?\d{1,9}\/?>/g, ''), source);
    return { ...draftOf(of, placed.content, placed.isGuessed), model };
  });
}
