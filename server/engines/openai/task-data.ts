import { canonicalLanguage, supportedLanguages } from '../../languages.ts';
import type { TranslationTask } from '../engine.ts';

/**
 * The task as the fields that the instructions speak about, but for its texts, which the roles add. A caller's words go
 * to a model in such data and nowhere else.
 */
export function taskData(task: TranslationTask) {
  return {
    source_lang: language(task.sourceLang),
    target_lang: language(task.targetLang),
    text_type: task.textType,
    tone: task.tone,
    gender: task.gender,
    domain: task.domain,
    glossary: task.glossary ?? [],
    examples: (task.examples ?? []).map(({ source, target }) => ({ source, target })),
  };
}

/** With its name, since not every model reads `nb` or `fr-CA` the same way. */
function language(code: string) {
  const known = canonicalLanguage(code);
  return { code, name: known ? supportedLanguages[known] : code };
}
