import { z } from 'zod';
import { appRouter } from '../../server/router.ts';
import { proceduresOf } from '../../server/trpc.ts';

type Schema = z.core.$ZodType;

/** A schema, and whether its value is sent or received. */
export interface Place {
  schemas: Schema[];
  io: 'input' | 'output';
}

/**
 * Finds the schemas of the types of src/types.ts, by the procedure or the other type that each begins with:
 * `Outputs['translations']['create']`, `AgentRun['steps'][number]`.
 * @param source src/types.ts
 */
export function placesOf(source: string): (typeName: string) => Place | undefined {
  // A name in backquotes could be mistaken for an import.
  const aliases = new Map(
    [...source.replaceAll('`', "'").matchAll(/^(?:export )?type (\w+) =([^;]*);/gm)].map(([, name, type]) => [
      name,
      type,
    ]),
  );
  const procedures = new Map(proceduresOf(appRouter));
  const find = (typeName: string): Place | undefined => {
    const [, root, path] =
      /\b(Inputs|Outputs|[A-Z]\w+)((?:\['\w+'\]|\[number\]|>)*)/.exec(
        (aliases.get(typeName) ?? '').replaceAll(
          /\b(NonNullable|Omit|Pick|Extract|Exclude|Record|WithOptions|WithAuto)</g,
          '',
        ),
      ) ?? [];
    if (root === undefined || path === undefined) return undefined;
    // `Extract<Outputs['auth']['token'], …>['mfa_challenge']`
    const [, last = ''] = /[^>]>((?:\['\w+'\]|\[number\])+)\s*$/.exec(aliases.get(typeName) ?? '') ?? [];
    const whole = path.endsWith(last) ? path : path + last;
    const steps = [...whole.matchAll(/'(\w+)'/g)].map(([, step]) => step as string);
    if (root !== 'Inputs' && root !== 'Outputs') {
      const place = aliases.has(root) ? find(root) : undefined;
      return place && inside(place, steps);
    }
    const [domain, name, ...further] = steps;
    const procedure = procedures.get(`${domain}.${name}`);
    const schema = root === 'Inputs' ? procedure?.inputs[0] : procedure?.output;
    if (!schema) return undefined;
    return inside({ schemas: [schema as Schema], io: root === 'Inputs' ? 'input' : 'output' }, further);
  };
  return find;
}

function inside(place: Place, steps: string[]): Place | undefined {
  return steps.reduce<Place | undefined>((at, step) => at && propertyOf(at, step), place);
}

/** The schemas of a property, in any member of a union. */
export function propertyOf({ schemas, io }: Place, name: string): Place | undefined {
  const found = schemas.flatMap(objectsIn).flatMap((object) => object.shape[name] ?? []);
  return found.length > 0 ? { schemas: found, io } : undefined;
}

/** The objects that a value may be, or the elements of a list. */
function objectsIn(schema: Schema): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  return innerOf(schema).flatMap(objectsIn);
}

/** The inner schemas of one that adds something: a default, null, a transformation, a list. */
function innerOf(schema: Schema): Schema[] {
  // zod's base type does not have the parts that only some kinds of schemas have.
  const { def } = schema._zod as unknown as { def: Record<string, unknown> };
  if (schema instanceof z.ZodLazy) return [schema.unwrap()];
  const inner = [def['innerType'], def['in'], def['element'], def['options']].flat();
  return inner.filter((one): one is Schema => typeof one === 'object' && one !== null && '_zod' in one);
}

/** The id of a schema in the API's document. */
export function idOf({ schemas: [schema] }: Place): string | undefined {
  return schema && metaOf(schema, 'id');
}

function metaOf(schema: Schema, name: 'id' | 'description'): string | undefined {
  const own = z.globalRegistry.get(schema)?.[name];
  if (own !== undefined) return own;
  const inner = innerOf(schema);
  return inner.length === 1 ? metaOf(inner[0] as Schema, name) : undefined;
}

/** The meaning of a value, with its limits and its default, as a sentence or two; undefined without a description. */
export function describe(place: Place): string | undefined {
  const [schema] = place.schemas;
  const description = place.schemas.map((one) => metaOf(one, 'description')).find(Boolean);
  if (!schema || description === undefined) return undefined;
  const text = `${description[0]?.toUpperCase()}${description.slice(1)}`.replace(/\.$/, '');
  return [text, ...limitsOf(schema, place.io)].join('. ').concat('.');
}

/** The limits that a schema checks, in words. */
function limitsOf(schema: Schema, io: Place['io']): string[] {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // Also for nullable schemas.
  const rules: Record<string, unknown> = Object.assign({}, ...(json.anyOf ?? []), json);
  const range = (least: string, max: string, unit: string): string[] => {
    const [from, to] = [rules[least], rules[max]].map((bound) =>
      typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined,
    );
    const number = (value: number) => value.toLocaleString('en');
    if (to !== undefined)
      return [`${from === undefined ? 'Up to' : `${number(from)} to`} ${number(to)}${unit}`];
    return from === undefined || from === 0 ? [] : [`At least ${number(from)}${unit}`];
  };
  return [
    ...range('minLength', 'maxLength', ' characters'),
    ...range('minItems', 'maxItems', ' entries'),
    ...range('minimum', 'maximum', ''),
    ...(rules['default'] === undefined || rules['default'] === null
      ? []
      : [`Default: ${JSON.stringify(rules['default'])}`]),
  ];
}
