import { sql } from 'drizzle-orm';
import {
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** How a machine translation went through the quality gate. `held_for_score`: only because of its score. */
const routes = ['published', 'held_for_score', 'held'] as const;

/** The settings of spot checks and quality checks of a workspace, and how far its translations are counted. */
export const qualitySettings = pgTable(
  'quality_settings',
  {
    tenantId: identifier('tenant_id').notNull(),
    /** The percentage of published texts that are drawn for spot checks; another one for some target languages. */
    samplePercent: real('sample_percent').notNull().default(0),
    languagePercents: jsonb('language_percents').$type<Record<string, number>>().notNull().default({}),
    /** The error points of each severity, and the score from which a quality check passes. */
    minorPoints: smallint('minor_points').notNull().default(1),
    majorPoints: smallint('major_points').notNull().default(5),
    criticalPoints: smallint('critical_points').notNull().default(25),
    passScore: real('pass_score').notNull().default(95),
    /** The last counted usage record, and the time up to which decisions of reviewers are counted. */
    countedAt: moment('counted_at'),
    countedJob: identifier('counted_job').notNull().default(''),
    decidedUntil: moment('decided_until'),
    calibratedAt: moment('calibrated_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The number of judged texts with each score, by the UTC day of their translation. A segment of a document is a text. */
export const qualityScores = pgTable(
  'quality_scores',
  {
    tenantId: identifier('tenant_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    targetLang: text('target_lang').notNull(),
    /** In lower case; empty without a domain. */
    domain: text('domain').notNull(),
    route: text('route', { enum: routes }).notNull(),
    score: smallint('score').notNull(),
    texts: integer('texts').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.day, t.targetLang, t.domain, t.route, t.score] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The result of one text that a person checked, or will check. Has no text of the item, which may be deleted. */
export const qualityChecks = pgTable(
  'quality_checks',
  {
    tenantId: identifier('tenant_id').notNull(),
    checkId: identifier('check_id').notNull(),
    /**
     * `review`: the decision of a reviewer about the machine translation. `spot_check`: a check of a published machine
     * translation. `quality_check`: a check of the work of a reviewer.
     */
    origin: text('origin', { enum: ['review', 'spot_check', 'quality_check'] }).notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
    /** The segment of a document; 0 for texts. */
    position: integer('position').notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    domain: text('domain').notNull(),
    /** The UTC day of the translation. */
    day: date('day', { mode: 'string' }).notNull(),
    /** The score of the machine translation, if a model judged it, and its way through the gate. */
    score: smallint('score'),
    route: text('route', { enum: routes }).notNull(),
    /** The probability with which the text was drawn. */
    probability: real('probability').notNull().default(1),
    /** The member whose review is checked; null for other origins. */
    reviewedBy: identifier('reviewed_by'),
    /** `replaced`: a second check of the same text counts instead. */
    state: text('state', { enum: ['open', 'done', 'skipped', 'replaced'] }).notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    checkedAt: moment('checked_at'),
    checkedBy: identifier('checked_by'),
    /** `changed`: a reviewer changed the text; how serious the error was is not known. */
    verdict: text('verdict', { enum: ['none', 'changed', 'minor', 'major', 'critical', 'rejected'] }),
    errors: jsonb('errors').$type<unknown[]>().notNull().default([]),
    /** The words of the source. */
    words: integer('words').notNull().default(0),
    /** Of version 1.0, only kept: the dispute about the result, with the member, the time and the reason. */
    dispute: jsonb('dispute').$type<{ by: string; at: string; note: string }>(),
    /** Of version 1.0, only kept: the check that this one repeats after a dispute, and when it replaced this one. */
    repeats: identifier('repeats'),
    replacedAt: moment('replaced_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.checkId] }),
    index('quality_checks_day_idx').on(t.tenantId, t.day, t.targetLang),
    index('quality_checks_open_idx').on(t.tenantId, t.checkId).where(sql`state = 'open'`),
    index('quality_checks_checked_idx').on(t.tenantId, t.checkedAt),
    index('quality_checks_item_idx').on(t.tenantId, t.itemId, t.position),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The calibration of the score of a workspace for a target language, from the latest checks. */
export const qualityCalibrations = pgTable(
  'quality_calibrations',
  {
    tenantId: identifier('tenant_id').notNull(),
    targetLang: text('target_lang').notNull(),
    computedAt: moment('computed_at').notNull().defaultNow(),
    /** The number of checks. */
    checks: integer('checks').notNull(),
    steps: jsonb('steps').$type<{ score: number; value: number }[]>().notNull(),
    /** Null if all checks had the same result. */
    agreement: jsonb('agreement').$type<{ share: number; low: number; high: number }>(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.targetLang] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
