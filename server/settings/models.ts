import type { Settings } from './environment.ts';

/** Whether a language model is connected, which judges and uses tokens. */
export function hasLanguageModel({
  ENGINES,
  OPENAI_API_KEY: key,
}: Pick<Settings, 'ENGINES' | 'OPENAI_API_KEY'>): boolean {
  return key !== undefined || Object.values(ENGINES?.engines ?? {}).some((of) => 'model' in of);
}

/** Returns the models of ENGINES by their roles. A translation service is a model with the name of its engine. */
export function modelsOfEngines({ ENGINES }: Settings): { model: string; role: 'translation' | 'judge' }[] {
  return Object.entries(ENGINES?.engines ?? {}).flatMap(([name, of]) =>
    'model' in of
      ? [
          { model: of.model, role: 'translation' as const },
          { model: of.refiner_model ?? of.model, role: 'judge' as const },
        ]
      : [{ model: name, role: 'translation' as const }],
  );
}
