import type { QualityIssue, Translations, TranslationTask } from '#server/engines/engine.ts';
import { checkIntegrity } from '../integrity/index.ts';
import { checkPlausibility } from '../vetoes/index.ts';
import { joinSegments } from './source-text.ts';

/** What the service itself finds in a translation, whatever a model says of it. */
export type Inspect = (task: TranslationTask, candidate: Translations) => QualityIssue[];

/**
 * The vetoes that no model can talk away: what the source must not lose (integrity), and what cannot be a translation
 * of it (plausibility). Each is a critical issue, which goes through repair first and blocks publishing if it stays.
 */
export const inspectTranslation: Inspect = (task, candidate) => {
  const { sourceLang, targetLang, textType } = task;
  const texts = { sourceText: joinSegments(task.segments), targetText: joinSegments(candidate) };
  return [
    ...checkIntegrity({ ...texts, sourceLang, targetLang, textType }),
    ...checkPlausibility({ ...texts, sourceLang, targetLang }),
  ];
};

/** C 4: the stub's echo is no translation, and exempt. */
export const inspectNothing: Inspect = () => [];
