import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AssignmentRule, AssignmentRules as AssignmentRulesRead } from '#sdk/types.ts';
import { type Colleague, service, useColleagues } from '../../assignments/colleagues.ts';
import { useT } from '../../i18n.tsx';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import { RuleSentence } from './rule-sentence.tsx';

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
    if (!isChanged) return;
    const now = await proved(() => service.saveRules({ rules: rules.map(withoutEmpty), version }));
    queries.setQueryData(queryKeys.assignments.of({ rules: true }), now);
    setRules(now.rules);
    announce(t('assignments.rules_saved'));
  });
  const move = (at: number, by: 1 | -1) => {
    const next = [...rules];
    next.splice(at + by, 0, ...next.splice(at, 1));
    setRules(next);
  };
  const commands = (index: number) => [
    {
      name: t('assignments.move_up', { number: index + 1 }),
      isDisabled: index === 0,
      run: () => move(index, -1),
    },
    {
      name: t('assignments.move_down', { number: index + 1 }),
      isDisabled: index === rules.length - 1,
      run: () => move(index, 1),
    },
    {
      name: t('assignments.remove_rule', { number: index + 1 }),
      run: () => setRules(rules.filter((_, at) => at !== index)),
    },
  ];
  return (
    <form onSubmit={save}>
      <ol className="rows">
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity but its place
          <li key={index}>
            <Row gap={3} align="start" isTight>
              <Fill>
                <RuleSentence
                  number={index + 1}
                  rule={rule}
                  members={members}
                  onChange={(changed) => setRules(rules.map((one, at) => (at === index ? changed : one)))}
                />
              </Fill>
              <Menu label={t('assignments.rule_actions', { number: index + 1 })} commands={commands(index)} />
            </Row>
          </li>
        ))}
      </ol>
      <Stack gap={3}>
        <Text as="p" size="sm" tone="soft">
          {t(rules.length === 0 ? 'assignments.no_rules' : 'assignments.rule_otherwise')}
        </Text>
        {error ? <Problem error={error} /> : null}
        <Row>
          <button type="submit" className="primary" aria-disabled={isBusy || !isChanged}>
            {t('assignments.save_rules')}
          </button>
          <button
            type="button"
            disabled={rules.length >= maxRules}
            onClick={() => setRules([...rules, newRule])}
          >
            <Plus size={15} aria-hidden /> {t('assignments.add_rule')}
          </button>
        </Row>
      </Stack>
    </form>
  );
}

/** A rule without the conditions that have no value yet. */
function withoutEmpty({ domain, ...rule }: AssignmentRule): AssignmentRule {
  return domain ? { ...rule, domain } : rule;
}
