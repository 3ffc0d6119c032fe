import type { RestProcedure } from '../procedures.ts';
import type { Parameter } from './document.ts';

/**
 * Inputs that must be sent although their schemas let them be left out, by the procedure's path: what is missing there is a
 * 400 in the service's own words (B 4.1, B 4.4, B 4.5), where a schema would make it a 422. The files of forms are apart.
 */
const neededInputs: Readonly<Record<string, readonly string[]>> = {
  'translations.createFromFile': ['target_lang'],
  'terminology.upload': ['name'],
  'memory.import': ['name', 'source_lang', 'target_lang'],
  'memory.exportGolden': ['source_lang', 'target_lang'],
};

/** @throws Error where one of them is no input of the procedure */
export function neededInputsOf({ path, inputShape }: RestProcedure): readonly string[] {
  const needed = neededInputs[path] ?? [];
  const unknown = needed.find((name) => !inputShape[name]);
  if (unknown) throw new Error(`${path}: the document asks for ${unknown}, an input that does not exist`);
  return needed;
}

/** A query parameter as the generator left it, required where it is needed; its default is then never used. */
export function requireNeeded(parameter: Parameter, needed: readonly string[]): Parameter {
  if (parameter.in !== 'query' || !needed.includes(parameter.name)) return parameter;
  const { default: _, ...schema } = parameter.schema;
  return { ...parameter, required: true, schema };
}
