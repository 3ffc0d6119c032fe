import { sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import type { EnginesView } from './schema.ts';

/*
 * The engines of the deployment with their routes, and what people thought of their translations. Which one is best for a pair
 * of languages, the decisions of reviewers say.
 */

/** Days of the checks that count, and the most of them: the latest. */
const countedDays = 90;
const maxChecks = 50_000;

/** Maximum engines and pairs of a report. */
const maxResults = 200;

/** Returns the engines, their routes and their results. Platform scope. */
export async function viewEngines({
  database,
  settings,
}: Pick<Services, 'database' | 'settings'>): Promise<EnginesView> {
  const { ENGINES, OPENAI_API_KEY } = settings;
  const own = Object.entries(ENGINES?.engines ?? {}).map(([name, { kind }]) => ({ name, kind }));
  const engines = [...(OPENAI_API_KEY === undefined ? [] : [{ name: 'openai', kind: 'openai' }]), ...own];
  const isModel = ({ kind }: { kind: string }) => kind === 'openai' || kind === 'anthropic';
  const results = await database.inPlatform((tx) =>
    tx.execute<EnginesView['results'][number]>(sql`
      with checked as materialized (
        select * from quality_checks
        where state = 'done' and origin in ('review', 'spot_check')
          and checked_at > now() - make_interval(days => ${countedDays}::int)
        order by checked_at desc limit ${maxChecks}::int),
      made as (
        select c.source_lang, c.target_lang, c.verdict,
          jsonb_path_query_first(j.agent_run, '$.steps[*] ? (@.name == "baseline").metadata.models[0]') #>> '{}' as engine,
          coalesce((j.refinement ->> 'applied')::boolean, false) as repaired
        from checked c join translation_jobs j on j.tenant_id = c.tenant_id and j.job_id = c.item_id
        where c.item_kind = 'job'
        union all
        select c.source_lang, c.target_lang, c.verdict, p.provenance ->> 'model',
          coalesce((p.provenance ->> 'repaired')::boolean, false)
        from checked c
        join document_segments s on s.tenant_id = c.tenant_id and s.document_id = c.item_id and s.position = c.position
        cross join lateral (
          select coalesce((
            select e.before -> 'provenance' from segment_events e
            where e.tenant_id = s.tenant_id and e.document_id = s.document_id and e.position = s.position
              and e.before is not null
            order by e.created_at, e.event_id limit 1), s.provenance) as provenance) p
        where c.item_kind = 'document')
      select engine, source_lang, target_lang, count(*)::int as checked,
        count(*) filter (where verdict <> 'none')::int as changed,
        count(*) filter (where verdict in ('major', 'critical', 'rejected'))::int as serious,
        count(*) filter (where repaired)::int as repaired
      from made where engine is not null group by 1, 2, 3
      order by checked desc, engine, source_lang, target_lang limit ${maxResults}::int`),
  );
  return {
    engines,
    routes: (ENGINES?.routes ?? []).map(
      ({ from = null, to = null, domain = null, text_type = null, use }) => ({
        from,
        to,
        domain,
        text_type,
        use,
      }),
    ),
    judge: ENGINES?.judge ?? engines.find(isModel)?.name ?? null,
    without_judge: ENGINES?.without_judge ?? 'review',
    days: countedDays,
    results: [...results],
  };
}
