import { Plus, X } from 'lucide-react';
import type { AssignmentRule } from '#sdk/types.ts';
import type { Colleague } from '../../assignments/colleagues.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { leaveFocus } from '../../kit/data-table.tsx';
import { Menu } from '../../kit/menu.tsx';
import { type Option, Select } from '../../kit/select.tsx';
import { InlineField, Sentence } from '../../kit/sentence.tsx';
import { Text } from '../../kit/text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { useGlossaries } from '../../terms/use-glossaries.ts';

/** Sets a property of a rule; without a value, the property is removed. */
type SetPart = <Key extends keyof AssignmentRule>(key: Key, value: AssignmentRule[Key] | undefined) => void;

interface RuleProps {
  number: number;
  rule: AssignmentRule;
  members: readonly Colleague[];
  onChange: (rule: AssignmentRule) => void;
}

/** A rule as a sentence of selects, and below it the conditions that few rules have. */
export function RuleSentence({ number, rule, members, onChange }: RuleProps) {
  const t = useT();
  const { languages } = useLanguages();
  const set: SetPart = (key, value) => {
    const { [key]: _, ...others } = rule;
    onChange((value === undefined ? others : { ...others, [key]: value }) as AssignmentRule);
  };
  const language = (key: 'source_lang' | 'target_lang', label: string) => (
    <Select
      label={label}
      value={rule[key] ?? ''}
      options={[
        { value: '', name: t('assignments.any_language') },
        ...languages.map(({ code, name }) => ({ value: code as string, name })),
      ]}
      isInline
      onChange={(code) => set(key, code || undefined)}
    />
  );
  const who = (key: 'assignee' | 'second', label: string, none: string) => (
    <WhoSelect
      label={label}
      none={none}
      value={rule[key]}
      members={members}
      onChange={(value) => set(key, value)}
    />
  );
  return (
    <Stack gap={1} role="group" aria-label={t('assignments.rule', { number })}>
      <Sentence
        of="assignments.rule_sentence"
        parts={{
          from: language('source_lang', t('assignments.from')),
          into: language('target_lang', t('assignments.to')),
          first: who('assignee', t('assignments.first_review'), t('assignments.stays_unassigned')),
          second: who('second', t('assignments.second_review_eyes'), t('assignments.no_second')),
          due: <DueParts due={rule.due} onChange={(due) => set('due', due)} />,
        }}
      />
      <Conditions rule={rule} set={set} />
    </Stack>
  );
}

const conditions = ['domain', 'min_words', 'max_words', 'regulated', 'glossary'] as const;

/** The first value of an added condition; that of a glossary is the first of the list. */
const atFirst = { domain: '', min_words: 1000, max_words: 5000, regulated: true } as const;

function Conditions({ rule, set }: { rule: AssignmentRule; set: SetPart }) {
  const t = useT();
  const { data: glossaries = [] } = useGlossaries();
  const missing = conditions.filter(
    (key) => rule[key] === undefined && (key !== 'glossary' || glossaries.length > 0),
  );
  const words = (key: 'min_words' | 'max_words') => (
    <InlineField
      label={t(`assignments.${key}`)}
      type="number"
      min={0}
      max={10_000_000}
      value={rule[key] ?? 0}
      onValue={(value) => set(key, Math.trunc(Number(value)))}
    />
  );
  const fields = {
    domain: () => (
      <InlineField
        label={t('assignments.domain')}
        maxLength={100}
        placeholder={t('assignments.any_domain')}
        value={rule.domain ?? ''}
        onValue={(value) => set('domain', value)}
      />
    ),
    min_words: () => words('min_words'),
    max_words: () => words('max_words'),
    regulated: () => (
      <Select
        label={t('assignments.regulated')}
        value={String(rule.regulated)}
        options={[
          { value: 'true', name: t('assignments.yes') },
          { value: 'false', name: t('assignments.no') },
        ]}
        isInline
        onChange={(value) => set('regulated', value === 'true')}
      />
    ),
    glossary: () => (
      <Select
        label={t('assignments.glossary')}
        value={rule.glossary ?? ''}
        options={glossaryOptions(glossaries, rule.glossary, t('assignments.deleted_glossary'))}
        isInline
        onChange={(value) => set('glossary', value)}
      />
    ),
  };
  return (
    <Row gap={4}>
      {conditions
        .filter((key) => rule[key] !== undefined)
        .map((key) => (
          <Row key={key} gap={1}>
            <Text size="sm" tone="soft">
              {t(`assignments.${key}`)}
            </Text>
            {fields[key]()}
            <button
              type="button"
              className="ghost small"
              aria-label={t('assignments.remove_condition', { name: t(`assignments.${key}`) })}
              onClick={({ currentTarget }) => {
                leaveFocus(currentTarget.parentElement);
                set(key, undefined);
              }}
            >
              <X size={14} aria-hidden />
            </button>
          </Row>
        ))}
      {missing.length > 0 && (
        <Menu
          label={t('assignments.add_condition')}
          commands={missing.map((key) => ({
            name: t(`assignments.${key}`),
            run: () => set(key, key === 'glossary' ? glossaries[0]?.id : atFirst[key]),
          }))}
        >
          <Plus size={14} aria-hidden /> {t('assignments.add_condition')}
        </Menu>
      )}
    </Row>
  );
}

function glossaryOptions(
  glossaries: readonly { id: string; name: string }[],
  selected: string | undefined,
  deleted: string,
): Option<string>[] {
  const options = glossaries.map(({ id, name }) => ({ value: id, name }));
  if (selected === undefined || options.some(({ value }) => value === selected)) return options;
  return [{ value: selected, name: deleted }, ...options];
}

type Who = AssignmentRule['assignee'];

/** A select of a member. @param none the name of the option without a member */
function WhoSelect({
  label,
  none,
  value,
  members,
  onChange,
}: {
  label: string;
  none: string;
  value: Who;
  members: readonly Colleague[];
  onChange: (value: Who) => void;
}) {
  const t = useT();
  const id = value === null ? '' : typeof value === 'string' ? value : `of ${value.member}`;
  const isGone = typeof value === 'object' && !members.some(({ user_id }) => user_id === value?.member);
  return (
    <Select
      label={label}
      value={id}
      options={[
        { value: '', name: none },
        { value: 'fewest_words', name: t('assignments.fewest_words') },
        ...(isGone && value ? [{ value: id, name: t('assignments.present_member') }] : []),
        ...members.map(({ user_id, name }) => ({ value: `of ${user_id}`, name })),
      ]}
      isInline
      onChange={(of) =>
        onChange(of === '' ? null : of === 'fewest_words' ? of : { member: of.slice('of '.length) })
      }
    />
  );
}

function DueParts({
  due,
  onChange,
}: {
  due: AssignmentRule['due'];
  onChange: (due: AssignmentRule['due']) => void;
}) {
  const t = useT();
  const unit = due === null ? 'none' : 'hours' in due ? 'hours' : 'days';
  const count = due === null ? 0 : 'hours' in due ? due.hours : due.working_days;
  const make = (of: typeof unit, value: number): AssignmentRule['due'] =>
    of === 'none' ? null : of === 'hours' ? { hours: Math.max(1, value) } : { working_days: value };
  return (
    <>
      <Select
        label={t('assignments.due')}
        value={unit}
        options={[
          { value: 'none', name: t('assignments.no_date') },
          { value: 'days', name: t('assignments.after_days') },
          { value: 'hours', name: t('assignments.after_hours') },
        ]}
        isInline
        onChange={(of) => onChange(make(of, count || 1))}
      />{' '}
      {due !== null && (
        <InlineField
          label={t(unit === 'hours' ? 'assignments.hours' : 'assignments.working_days')}
          type="number"
          required
          min={unit === 'hours' ? 1 : 0}
          max={unit === 'hours' ? 6000 : 250}
          value={count}
          onValue={(value) => onChange(make(unit, Math.trunc(Number(value))))}
        />
      )}
    </>
  );
}
