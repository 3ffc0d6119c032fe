import type { Engine } from '#server/platform/engines/engine.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

const issue = (severity: 'critical' | 'minor') => ({
  severity,
  category: 'accuracy' as const,
  span: null,
  explanation: severity,
  suggestion: null,
});

/** Judges a text by its words: "wrong" is critical, "doubtful" has a low score, and "odd" has a minor issue. */
const judge = (text: string) => ({
  score: text.includes('doubtful') ? 40 : 92,
  issues: [
    ...(text.includes('wrong') ? [issue('critical')] : []),
    ...(text.includes('odd') ? [issue('minor')] : []),
  ],
  summary: 'judged',
});

/** An engine that translates a text to `fr of …`, and finds issues by the words of the source. */
export const judgingEngine = (): Engine =>
  engineOf(async ({ segments, targetLang }) => answered(segments.map((text) => `${targetLang} of ${text}`)), {
    assess: async ({ segments }) => answered(judge(segments.join(' '))),
    assessEach: async ({ segments }) => answered(segments.map(judge)),
    verify: async ({ segments }) => {
      const found = judge(segments.join(' '));
      return answered({ ...found, passed: !found.issues.some(({ severity }) => severity === 'critical') });
    },
  });
