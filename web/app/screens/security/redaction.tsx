import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { SecurityPolicy, TenantAccount } from '#sdk/types.ts';
import { readMe } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { Group } from '../../kit/check-group.tsx';
import { Check, TextArea } from '../../kit/field.tsx';
import { Switch } from '../../kit/switch.tsx';
import { announce } from '../../parts/announcer.tsx';
import { fieldProblem } from '../../parts/problem.tsx';
import { isConflict, SaveProblem, Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import type { Me } from '../../session/use-me.ts';

type Rules = NonNullable<SecurityPolicy['redaction']>;

const kinds = [
  'names',
  'addresses',
  'emails',
  'phones',
  'accounts',
  'national_numbers',
  'birth_dates',
] as const satisfies readonly Rules['kinds'][number][];

/** The saved rules; null if the replacement is off. */
const rulesOf = ({ metadata }: Pick<TenantAccount, 'metadata'>) =>
  (metadata['redaction'] ?? null) as Rules | null;

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The line of a field that is wrong, from 0; -1 without one. */
function lineOf(error: unknown, field: string): number {
  if (!(error instanceof LinguaLoopError) || typeof error.detail === 'string') return -1;
  return Number(error.detail.find(({ loc }) => loc.includes(field))?.loc.at(-1) ?? -1);
}

/** The personal data that models do not get. The switch changes the setting at once; the rest is saved together. */
export function Redaction({ me: { tenant } }: { me: Me }) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const stored = rulesOf(tenant);
  const [before, setBefore] = useState(stored);
  const [chosen, setChosen] = useState<readonly Rules['kinds'][number][]>(stored?.kinds ?? kinds);
  const [patterns, setPatterns] = useState(stored?.patterns?.join('\n') ?? '');
  const [terms, setTerms] = useState(stored?.terms?.join('\n') ?? '');
  const save = (redaction: Rules | null) =>
    run(async () => {
      // For a platform operator, the request must name the workspace, even the operator's own.
      const request = { redaction, redaction_before: before, tenant_id: tenant.id };
      try {
        const account = await proved(() => procedures.tenants.setSecurityPolicy.mutate(request));
        queries.setQueryData<Me>(queryKeys.me, (me) => me && { ...me, tenant: account });
        setBefore(rulesOf(account));
        announce(t('common.saved'));
      } catch (thrown) {
        if (isConflict(thrown)) setBefore(rulesOf((await readMe()).tenant));
        throw thrown;
      }
    });
  const rules = { kinds: [...chosen], patterns: linesOf(patterns), terms: linesOf(terms) };
  /** Names the line that is wrong. */
  const problemOf = (field: 'patterns' | 'terms') => {
    const problem = fieldProblem(error, field);
    const wrong = problem && rules[field][lineOf(error, field)];
    return wrong ? `${wrong}: ${problem}` : problem;
  };
  const isKnown = problemOf('patterns') ?? problemOf('terms');
  return (
    <Setting id="redaction" title={t('security.redaction')} why={t('security.redaction_why')}>
      {error !== undefined && !isKnown && <SaveProblem error={error} />}
      <Switch
        label={t('security.redaction_on')}
        hint={t('security.redaction_on_hint')}
        isOn={stored !== null}
        isBusy={isBusy}
        onChange={(isOn) => void save(isOn ? rules : null)()}
      />
      {stored && (
        <form className="form" onSubmit={save(rules)}>
          <Group label={t('security.redaction_kinds')}>
            <Stack gap={1}>
              {kinds.map((kind) => (
                <Check
                  key={kind}
                  label={<span className="capital">{t(`security.redaction_${kind}`)}</span>}
                  isChecked={chosen.includes(kind)}
                  onChange={(isChecked) =>
                    setChosen(isChecked ? [...chosen, kind] : chosen.filter((one) => one !== kind))
                  }
                />
              ))}
            </Stack>
          </Group>
          <TextArea
            label={t('security.redaction_terms')}
            hint={t('security.redaction_terms_hint')}
            problem={problemOf('terms')}
            value={terms}
            onValue={setTerms}
          />
          <TextArea
            label={t('security.redaction_patterns')}
            hint={t('security.redaction_patterns_hint')}
            problem={problemOf('patterns')}
            value={patterns}
            onValue={setPatterns}
          />
          <button type="submit" className="primary" aria-disabled={isBusy}>
            {t('common.save')}
          </button>
        </form>
      )}
    </Setting>
  );
}
