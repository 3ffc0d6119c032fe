import { extractHtml, rebuildHtml } from '#server/formats/html/index.ts';
import type { Engine, EngineAnswer, TranslationTask } from './engine.ts';

const free = <T>(value: T): Promise<EngineAnswer<T>> =>
  Promise.resolve({ value, model: null, inputTokens: 0, outputTokens: 0 });

const summary = 'synthetic score of the stub engine';

/**
 * The engine of a deployment without a model (C 4): it echoes the source behind the target's code, in HTML inside
 * the translatable text only, and finds every text good enough to publish by itself.
 */
export const stubEngine: Engine = {
  live: false,
  translate: (task) =>
    free(task.textType === 'Html' ? echoHtml(task) : echo(task.targetLang, task.sourceText)),
  assess: () => free({ score: 92, issues: [], summary }),
  verify: () => free({ score: 92, issues: [], summary, passed: true }),
};

function echo(targetLang: string, text: string): string {
  return `[${targetLang}] ${text}`;
}

function echoHtml({ sourceText, targetLang }: TranslationTask): string {
  const segments = extractHtml(sourceText);
  const echoed = segments.map(({ text }) => echo(targetLang, text));
  return rebuildHtml(sourceText, segments, echoed);
}
