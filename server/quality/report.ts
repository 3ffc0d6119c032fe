import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { minChecks } from './calibration.ts';
import type { QualityReport, ReportInput } from './schema.ts';
import { estimateShare, type Observation, type Population, type Share, shareOf } from './statistics.ts';

/** Texts with the same properties, as they are counted. */
export interface Counted {
  target_lang: string;
  domain: string;
  route: 'published' | 'held_for_score' | 'held';
  score: number;
  texts: number;
}

/** A check of a machine translation. */
export interface Checked extends Omit<Counted, 'texts'> {
  origin: 'review' | 'spot_check';
  verdict: 'none' | 'changed' | 'minor' | 'major' | 'critical' | 'rejected';
  probability: number;
}

/** Minimum scores that the report compares with the present one. */
const otherMinimums = [70, 75, 80, 90, 95];

/** The lowest scores of the bands. */
const bandStarts = [0, 50, 60, 70, 75, 80, 85, 90, 95];

/** Maximum languages and domains of a report. */
const maxGroups = 200;

type Figures = Omit<QualityReport, 'from' | 'to' | 'as_of' | 'open' | 'skipped'>;

const isUnchanged = ({ verdict }: Checked) => verdict === 'none';
const isMajor = ({ verdict }: Checked) =>
  verdict === 'major' || verdict === 'critical' || verdict === 'rejected';

/**
 * Returns the figures of a report from counts and checks. Spot checks stand for the published texts, decisions of
 * reviewers for those that were held for their score: the gate decided both by their score.
 * @param ofDomains the counts from which the shares of domains are estimated
 */
export function figuresOf(
  counted: readonly Counted[],
  checked: readonly Checked[],
  minimum: number,
  ofDomains = counted,
): Figures {
  const published = counted.filter(({ route }) => route === 'published');
  const held = counted.filter(({ route }) => route === 'held_for_score');
  const spot = checked.filter(({ origin, route }) => origin === 'spot_check' && route === 'published');
  const reviews = checked.filter(({ origin, route }) => origin === 'review' && route === 'held_for_score');
  const minimumOf = (at: number) => {
    const isPublished = ({ score }: { score: number }) => score >= at;
    const [own, others] = [published.filter(isPublished), held.filter(isPublished)];
    const populations = (isHit: (check: Checked) => boolean) => [
      population(own, spot.filter(isPublished), isHit),
      population(others, reviews.filter(isPublished), isHit),
    ];
    const isEnough = [...spot, ...reviews].filter(isPublished).length >= minChecks;
    // Reviewers change a text without stating how serious its error was.
    const isKnown = isEnough && others.length === 0;
    const major = isKnown ? estimateShare(...populations(isMajor)) : null;
    const texts = textsOf(own) + textsOf(others);
    return {
      minimum: at,
      published: texts,
      to_review: textsOf(published) + textsOf(held) - texts,
      no_change: isEnough ? estimateShare(...populations(isUnchanged)) : null,
      major,
      major_texts: major && major.share * texts,
    };
  };
  const present = minimumOf(minimum);
  const minimums = [...otherMinimums, minimum]
    .filter((one, at, all) => all.indexOf(one) === at)
    .sort(byNumber);
  return {
    minimum,
    min_checks: minChecks,
    ...groupOf(published, spot),
    held: textsOf(held),
    held_checks: reviews.length,
    held_no_change: reviews.length < minChecks ? null : estimateShare(population(held, reviews, isUnchanged)),
    bands: bandStarts.flatMap((from, index) => {
      const to = (bandStarts[index + 1] ?? 101) - 1;
      const isIn = ({ score }: { score: number }) => score >= from && score <= to;
      const [texts, checks] = [
        counted.filter(isIn),
        checked.filter(isIn).filter(({ route }) => route !== 'held'),
      ];
      if (texts.length === 0 && checks.length === 0) return [];
      const ofRoute = (route: Counted['route']) => textsOf(texts.filter((one) => one.route === route));
      const ofVerdict = (verdict: Checked['verdict']) =>
        checks.filter((one) => one.verdict === verdict).length;
      return {
        ...{
          from,
          to,
          published: ofRoute('published'),
          held_for_score: ofRoute('held_for_score'),
          held: ofRoute('held'),
        },
        checks: checks.length,
        ...{ none: ofVerdict('none'), changed: ofVerdict('changed'), minor: ofVerdict('minor') },
        major: checks.filter(isMajor).length,
        no_change: checks.length === 0 ? null : shareIn(checks),
      };
    }),
    minimums: minimums.map((at) => {
      const other = at === minimum ? present : minimumOf(at);
      const isComparable =
        other.major_texts !== null && present.major_texts !== null && present.major_texts > 0;
      const left = isComparable ? (other.major_texts as number) / (present.major_texts as number) : null;
      return { ...other, fewer_major: left === null ? null : 1 - left };
    }),
    languages: groupsBy('target_lang', published, spot),
    domains: groupsBy(
      'domain',
      ofDomains.filter(({ route }) => route === 'published'),
      spot,
    ),
  };
}

const byNumber = (a: number, b: number) => a - b;

/** The share of the checks of a band: texts that were drawn more often do not count more. */
function shareIn(checks: readonly Checked[]): Share {
  const { share, low, high } = shareOf(checks.map((check) => observationOf(check, isUnchanged)));
  return { share, low, high };
}

function groupsBy<K extends 'target_lang' | 'domain'>(
  key: K,
  counted: readonly Counted[],
  checked: readonly Checked[],
): (Record<K, string> & ReturnType<typeof groupOf>)[] {
  const texts = Map.groupBy(counted, (one) => one[key]);
  const checks = Map.groupBy(checked, (one) => one[key]);
  return [...texts]
    .map(([name, ofName]) => ({ [key]: name, ...groupOf(ofName, checks.get(name) ?? []) }) as never)
    .sort((a: { published: number }, b: { published: number }) => b.published - a.published)
    .slice(0, maxGroups);
}

function groupOf(published: readonly Counted[], spot: readonly Checked[]) {
  const isEnough = spot.length >= minChecks;
  const shareWith = (isHit: (check: Checked) => boolean) =>
    isEnough ? estimateShare(population(published, spot, isHit)) : null;
  return {
    published: textsOf(published),
    checks: spot.length,
    no_change: shareWith(isUnchanged),
    major: shareWith(isMajor),
  };
}

function population(
  texts: readonly Counted[],
  checked: readonly Checked[],
  isHit: (check: Checked) => boolean,
): Population {
  return { texts, observations: checked.map((check) => observationOf(check, isHit)) };
}

function observationOf(check: Checked, isHit: (check: Checked) => boolean): Observation {
  return { score: check.score, hit: isHit(check), weight: 1 / check.probability };
}

function textsOf(counted: readonly Counted[]): number {
  return counted.reduce((sum, { texts }) => sum + texts, 0);
}

/** The texts of a report. */
interface Scope {
  from: string;
  to: string;
  /** The time up to which checks count, in ISO 8601. */
  asOf: string;
  target_lang?: string | undefined;
  domain?: string | undefined;
}

const matches = ({ from, to, target_lang, domain }: Scope, tenantId: string) => sql`
  tenant_id = ${tenantId} and day between ${from}::date and ${to}::date
  and ${target_lang === undefined ? sql`true` : sql`target_lang = ${target_lang}`}
  and ${domain === undefined ? sql`true` : sql`domain = lower(trim(${domain}))`}`;

/** SQL: whether a check of a machine translation counted at a time. A later check may have replaced it since. */
const countsAt = (asOf: string): SQL => sql`origin in ('review', 'spot_check') and score is not null
  and checked_at <= ${asOf}::timestamptz
  and (state = 'done' or state = 'replaced' and replaced_at > ${asOf}::timestamptz)`;

/** Selects the sums by language, and those of the most frequent domains. */
async function selectSums(tx: Tx, tenantId: string, scope: Scope) {
  const ofLanguages = await tx.execute<Counted & Record<string, unknown>>(sql`
    select target_lang, '' as domain, route, score, sum(texts)::int as texts from quality_scores
    where ${matches(scope, tenantId)} group by 1, 3, 4`);
  const ofDomains = await tx.execute<Counted & Record<string, unknown>>(sql`
    with frequent as (
      select domain from quality_scores where ${matches(scope, tenantId)} and route = 'published'
      group by domain order by sum(texts) desc, domain limit ${maxGroups}::int)
    select '' as target_lang, domain, route, score, sum(texts)::int as texts
    from quality_scores join frequent using (domain)
    where ${matches(scope, tenantId)} and route = 'published' group by 2, 3, 4`);
  return { ofLanguages, ofDomains };
}

/**
 * Reports what the gate of a workspace is worth.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days
 */
export async function reportQuality(tx: Tx, tenantId: string, asked: ReportInput): Promise<QualityReport> {
  const { minimum, target_lang, domain } = asked;
  const scope = { ...readDateRange(asked), target_lang, domain, asOf: new Date().toISOString() };
  const { ofLanguages, ofDomains } = await selectSums(tx, tenantId, scope);
  const checked = await tx.execute<Checked & Record<string, unknown>>(sql`
    select target_lang, domain, route, score, origin, verdict, probability::float8 as probability
    from quality_checks where ${matches(scope, tenantId)} and ${countsAt(scope.asOf)}
    order by check_id limit ${maxReported}::int`);
  const [left] = await tx.execute<{ open: number; skipped: number }>(sql`
    select count(*) filter (where state = 'open')::int as open,
      count(*) filter (where state = 'skipped')::int as skipped
    from quality_checks where ${matches(scope, tenantId)} and origin = 'spot_check' and state in ('open', 'skipped')`);
  return {
    ...{ from: scope.from, to: scope.to, as_of: scope.asOf },
    ...{ open: left?.open ?? 0, skipped: left?.skipped ?? 0 },
    ...figuresOf(ofLanguages, checked, minimum, ofDomains),
  };
}

/** Maximum number of checks of a report. The IDs of checks are hashes, so these are a random part of more. */
const maxReported = 200_000;
