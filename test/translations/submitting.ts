import type postgres from 'postgres';
import { afterEach, expect } from 'vitest';
import { stubEngine } from '#server/platform/engines/stub.ts';
import type { Signup, TestApp, TestAppOptions } from '#test/setup/app.ts';

export const PATH = '/api/translations';
export const HEX32 = /^[0-9a-f]{32}$/;

/** Control of the stub engine: counts its calls, makes them fail, changes its results. */
interface EngineControl {
  calls: number;
  fail: (() => Error) | undefined;
  bend: ((answer: Record<string, unknown>) => void) | undefined;
  /** A promise that the engine's results wait for. */
  hold: (() => Promise<void>) | undefined;
}

/** The stub engine and its control, which is reset before each test. */
export function useWatchedEngine() {
  const engineControl: EngineControl = { calls: 0, fail: undefined, bend: undefined, hold: undefined };

  afterEach(() => {
    engineControl.fail = undefined;
    engineControl.bend = undefined;
    engineControl.hold = undefined;
  });

  const watchedEngine: NonNullable<TestAppOptions['engine']> = new Proxy(stubEngine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const work: unknown = member.apply(target, given);
        if (!(work instanceof Promise)) return work;
        engineControl.calls += 1;
        return work.then(async (answer: unknown) => {
          await engineControl.hold?.();
          if (engineControl.fail) throw engineControl.fail();
          const copy = structuredClone(answer);
          if (engineControl.bend) for (const inner of objectsIn(copy)) engineControl.bend(inner);
          return copy;
        });
      };
    },
  });

  return { engineControl, watchedEngine };
}

/** Every object inside `value`, and itself. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** What the tenant that `tenantOf` names submits to `app`. */
export function submittingTo(app: TestApp, tenantOf: () => Signup) {
  /** A submission of the file's tenant; `undefined` removes a field. */
  function submit(
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = tenantOf().headers,
  ) {
    return app.json('POST', PATH, {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr', ...fields },
    });
  }

  async function accepted(
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = tenantOf().headers,
  ) {
    const { status, body } = await submit(fields, headers);
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
    return body;
  }

  /** Expects a refusal that creates no job. */
  async function expectRefused(
    fields: Record<string, unknown>,
    expected: { status: number; detail?: RegExp; field?: string },
  ) {
    const fresh = await app.signUp();
    const { status, body } = await submit(fields, fresh.headers);
    expect(status).toBe(expected.status);
    if (expected.field) {
      expect(Array.isArray(body.detail)).toBe(true);
      for (const entry of body.detail) {
        expect(entry).toMatchObject({
          loc: expect.any(Array),
          msg: expect.any(String),
          type: expect.any(String),
        });
      }
      expect(body.detail.some(({ loc }: { loc: unknown[] }) => loc.includes(expected.field))).toBe(true);
    }
    if (expected.detail) expect(body.detail).toMatch(expected.detail);
    expect((await app.json('GET', PATH, { headers: fresh.headers })).body).toEqual([]);
  }

  return { submit, accepted, expectRefused };
}

/** The code of a trigger, whether it is a string or in an object. */
export function codeOf(trigger: unknown): string {
  return typeof trigger === 'string' ? trigger : (trigger as { code: string }).code;
}

export function triggerCodes(job: { agent_run: { quality_gate: { triggers: unknown[] } } }): string[] {
  return job.agent_run.quality_gate.triggers.map(codeOf);
}

/** The tables that have all these columns, as SQL names. */
export async function tablesWith(sql: postgres.Sql, ...columns: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', c.table_schema, c.table_name) as name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.column_name = any(${columns}) and t.table_type = 'BASE TABLE'
      and c.table_schema not in ('pg_catalog', 'information_schema')
    group by 1 having count(*) = ${columns.length} order by 1`;
  return rows.map(({ name }) => name);
}

/** The stored usage records of these jobs. */
export async function usageOf(sql: postgres.Sql, ...jobs: string[]) {
  const tables = await tablesWith(sql, 'job_id', 'billable_chars');
  expect(tables).toHaveLength(1);
  const rows = await sql.unsafe<{ job_id: string; billable_chars: unknown; billing_period: string }[]>(
    `select * from ${tables[0]} where replace(job_id::text, '-', '') = any($1)`,
    [jobs],
  );
  return rows.map((row) => ({ ...row, billable_chars: Number(row.billable_chars) }));
}
