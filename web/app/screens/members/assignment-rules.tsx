import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AssignmentRule, AssignmentRules as AssignmentRulesRead } from '#sdk/types.ts';
import { type Colleague, service, useColleagues } from '../../assignments/colleagues.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import { useGlossaries } from '../../terms/use-glossaries.ts';
import styles from './members.module.css';

/** Maximum number of rules. */
const maxRules = 50;

/** A new rule: the member with the fewest words, without a second review or due date. */
const newRule: AssignmentRule = { assignee: 'fewest_words', second: null, due: null };

/** The rules by which items are assigned: for each item, the first one whose conditions hold. */
export function AssignmentRules() {
  const t = useT();
  const colleagues = useColleagues();
  const rules = useQuery({
    queryKey: queryKeys.assignments.of({ rules: true }),
    queryFn: () => service.rules(),
    // Another reading must not replace what the administrator types.
    staleTime: Infinity,
    gcTime: 0,
  });
  const data = rules.data && colleagues.data && { rules: rules.data, members: colleagues.data };
  const refetch = () => Promise.all([rules.refetch(), colleagues.refetch()]);
  return (
    <Setting id="rules" title={t('assignments.rules')} why={t('assignments.rules_why')} wide>
      <Read from={{ data, error: rules.error ?? colleagues.error, refetch }} lines={4}>
        {({ rules: saved, members }) => <Form saved={saved} members={members} />}
      </Read>
    </Setting>
  );
}

function Form({
  saved: { rules: saved, version },
  members,
}: {
  saved: AssignmentRulesRead;
  members: readonly Colleague[];
}) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [rules, setRules] = useState(saved);
  const isChanged = JSON.stringify(rules) !== JSON.stringify(saved);
  const save = run(async () => {
    const now = await proved(() => service.saveRules({ rules: [...rules], version }));
    queries.setQueryData(queryKeys.assignments.of({ rules: true }), now);
    setRules(now.rules);
    announce(t('assignments.rules_saved'));
  });
  const move = (at: number, by: 1 | -1) => {
    const next = [...rules];
    next.splice(at + by, 0, ...next.splice(at, 1));
    setRules(next);
  };
  return (
    <form onSubmit={save}>
      {rules.length === 0 && <p className="hint">{t('assignments.no_rules')}</p>}
      <ol className={styles['rules']}>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity but its place
          <li key={index} className={styles['rule']}>
            <div className={styles['ruleHead']}>
              <b>{t('assignments.rule', { number: index + 1 })}</b>
              {index > 0 && (
                <button
                  type="button"
                  className="ghost small"
                  aria-label={t('assignments.move_up', { number: index + 1 })}
                  onClick={() => move(index, -1)}
                >
                  <ArrowUp size={15} aria-hidden />
                </button>
              )}
              {index < rules.length - 1 && (
                <button
                  type="button"
                  className="ghost small"
                  aria-label={t('assignments.move_down', { number: index + 1 })}
                  onClick={() => move(index, 1)}
                >
                  <ArrowDown size={15} aria-hidden />
                </button>
              )}
              <button
                type="button"
                className="ghost small"
                aria-label={t('assignments.remove_rule', { number: index + 1 })}
                onClick={() => setRules(rules.filter((_, at) => at !== index))}
              >
                <Trash2 size={15} aria-hidden />
              </button>
            </div>
            <RuleFields
              rule={rule}
              members={members}
              onChange={(changed) => setRules(rules.map((one, at) => (at === index ? changed : one)))}
            />
          </li>
        ))}
      </ol>
      {error ? <Problem error={error} /> : null}
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy || !isChanged}>
          {t('assignments.save_rules')}
        </button>
        <button
          type="button"
          disabled={rules.length >= maxRules}
          onClick={() => setRules([...rules, newRule])}
        >
          <Plus size={15} aria-hidden /> {t('assignments.add_rule')}
        </button>
      </div>
    </form>
  );
}

function RuleFields({
  rule,
  members,
  onChange,
}: {
  rule: AssignmentRule;
  members: readonly Colleague[];
  onChange: (rule: AssignmentRule) => void;
}) {
  const t = useT();
  const { data: glossaries } = useGlossaries();
  const { assignee, second, due, regulated, glossary } = rule;
  /** Sets a condition; without a value, the condition is removed. */
  const set = <Key extends keyof AssignmentRule>(key: Key, value: AssignmentRule[Key] | undefined) => {
    const { [key]: _, ...others } = rule;
    onChange((value === undefined ? others : { ...others, [key]: value }) as AssignmentRule);
  };
  const words = (key: 'min_words' | 'max_words') => (
    <label>
      {t(`assignments.${key}`)}
      <input
        type="number"
        min={0}
        max={10_000_000}
        value={rule[key] ?? ''}
        onChange={({ target: { value } }) => set(key, value === '' ? undefined : Number(value))}
      />
    </label>
  );
  return (
    <>
      <fieldset>
        <legend>{t('assignments.rule_if')}</legend>
        <LanguageSelect
          label={t('assignments.from')}
          value={rule.source_lang ?? ''}
          any={t('assignments.any_language')}
          onChange={(code) => set('source_lang', code || undefined)}
        />
        <LanguageSelect
          label={t('assignments.to')}
          value={rule.target_lang ?? ''}
          any={t('assignments.any_language')}
          onChange={(code) => set('target_lang', code || undefined)}
        />
        <label>
          {t('assignments.domain')}
          <input
            value={rule.domain ?? ''}
            maxLength={100}
            placeholder={t('assignments.any_domain')}
            onChange={({ target: { value } }) => set('domain', value === '' ? undefined : value)}
          />
        </label>
        {words('min_words')}
        {words('max_words')}
        <label>
          {t('assignments.regulated')}
          <select
            value={regulated === undefined ? '' : String(regulated)}
            onChange={({ target: { value } }) =>
              set('regulated', value === '' ? undefined : value === 'true')
            }
          >
            <option value="">{t('assignments.any')}</option>
            <option value="true">{t('assignments.yes')}</option>
            <option value="false">{t('assignments.no')}</option>
          </select>
        </label>
        <label>
          {t('assignments.glossary')}
          <select
            value={glossary ?? ''}
            onChange={({ target: { value } }) => set('glossary', value || undefined)}
          >
            <option value="">{t('assignments.any')}</option>
            {glossary !== undefined && !glossaries?.some(({ id }) => id === glossary) && (
              <option value={glossary}>{t('assignments.deleted_glossary')}</option>
            )}
            {glossaries?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('assignments.rule_then')}</legend>
        <WhoSelect
          label={t('assignments.first_review')}
          none={t('assignments.stays_unassigned')}
          value={assignee}
          members={members}
          onChange={(value) => set('assignee', value)}
        />
        <WhoSelect
          label={t('assignments.second_review_eyes')}
          none={t('assignments.no_second')}
          value={second}
          members={members}
          onChange={(value) => set('second', value)}
        />
        <DueFields due={due} onChange={(value) => set('due', value)} />
      </fieldset>
    </>
  );
}

type Who = AssignmentRule['assignee'];

function WhoSelect({
  label,
  none,
  value,
  members,
  onChange,
}: {
  label: string;
  /** The name of the option without a member. */
  none: string;
  value: Who;
  members: readonly Colleague[];
  onChange: (value: Who) => void;
}) {
  const t = useT();
  const id = value === null ? '' : typeof value === 'string' ? value : `of ${value.member}`;
  const isGone = typeof value === 'object' && !members.some(({ user_id }) => user_id === value?.member);
  return (
    <label>
      {label}
      <select
        value={id}
        onChange={({ target }) =>
          onChange(
            target.value === ''
              ? null
              : target.value === 'fewest_words'
                ? 'fewest_words'
                : { member: target.value.slice(3) },
          )
        }
      >
        <option value="">{none}</option>
        <option value="fewest_words">{t('assignments.fewest_words')}</option>
        {isGone && value && <option value={id}>{t('assignments.present_member')}</option>}
        {members.map(({ user_id, name }) => (
          <option key={user_id} value={`of ${user_id}`}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function DueFields({
  due,
  onChange,
}: {
  due: AssignmentRule['due'];
  onChange: (due: AssignmentRule['due']) => void;
}) {
  const t = useT();
  const unit = due === null ? 'none' : 'hours' in due ? 'hours' : 'days';
  const count = due === null ? 0 : 'hours' in due ? due.hours : due.working_days;
  const make = (of: string, value: number): AssignmentRule['due'] =>
    of === 'none' ? null : of === 'hours' ? { hours: Math.max(1, value) } : { working_days: value };
  return (
    <>
      <label>
        {t('assignments.due')}
        <select value={unit} onChange={({ target }) => onChange(make(target.value, count || 1))}>
          <option value="none">{t('assignments.no_date')}</option>
          <option value="days">{t('assignments.after_days')}</option>
          <option value="hours">{t('assignments.after_hours')}</option>
        </select>
      </label>
      {due !== null && (
        <label>
          {t(unit === 'hours' ? 'assignments.hours' : 'assignments.working_days')}
          <input
            type="number"
            required
            min={unit === 'hours' ? 1 : 0}
            max={unit === 'hours' ? 6000 : 250}
            value={count}
            onChange={({ target }) => onChange(make(unit, Math.trunc(Number(target.value))))}
          />
        </label>
      )}
    </>
  );
}
