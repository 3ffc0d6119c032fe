import type { Settings } from '../settings.ts';
import type { Engine } from './engine.ts';
import { assessmentFormat, translationFormat, verificationFormat } from './openai/answers.ts';
import { ask } from './openai/ask.ts';
import { type ChatSettings, connect, type Question } from './openai/chat.ts';
import { instructions } from './openai/instructions.ts';
import { type Sleep, sleep } from './openai/pacing.ts';
import { taskData } from './openai/task-data.ts';

export type OpenAiSettings = ChatSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'>;

/**
 * The live engine: OPENAI_MODEL translates, OPENAI_REFINER_MODEL judges, at OpenAI or any endpoint that speaks its
 * chat completions with structured outputs. Retries what may pass; fails with the AppErrors of B 7.
 * @param wait how it waits between two attempts
 */
export function createOpenAiEngine(settings: OpenAiSettings, wait: Sleep = sleep): Engine {
  const chat = connect(settings);
  const patience = { retries: settings.OPENAI_MAX_RETRIES, sleep: wait };
  const answer = <T>(question: Question<T>) => ask(chat, question, patience);

  return {
    live: true,
    async translate(task) {
      const { value, ...cost } = await answer({
        model: settings.OPENAI_MODEL,
        instructions: instructions('translate', task.textType),
        data: taskData(task),
        format: translationFormat,
      });
      return { value: value.translation, ...cost };
    },
    assess: (task, candidate) =>
      answer({
        model: settings.OPENAI_REFINER_MODEL,
        instructions: instructions('assess', task.textType),
        data: { ...taskData(task), translation: candidate },
        format: assessmentFormat,
      }),
    verify: (task, candidate) =>
      answer({
        model: settings.OPENAI_REFINER_MODEL,
        instructions: instructions('verify', task.textType),
        data: { ...taskData(task), translation: candidate },
        format: verificationFormat,
      }),
  };
}
