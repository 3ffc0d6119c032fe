import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../../i18n.tsx';
import { Group } from '../../kit/check-group.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { isConflict, SaveProblem, Setting } from '../../parts/setting.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { TargetChips } from '../translate/target-chips.tsx';
import { Policy } from './policy.tsx';
import { Segmentation } from './segmentation.tsx';
import { TextRules } from './text-rules.tsx';

/** `/app/settings/general`: the name, default languages, review policy, segmentation, keys and placeholders of the workspace. */
export function GeneralScreen() {
  const t = useT();
  const general = useQuery({
    queryKey: queryKeys.general,
    queryFn: () => procedures.tenants.general.query(),
    // Another reading must not replace what the administrator types.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <AdminsOnly title="general.title">
      {(me) => (
        <>
          <Setting id="workspace" title={t('general.workspace')} why={t('general.workspace_why')}>
            <Read from={general} lines={4}>
              {(saved) => <WorkspaceForm saved={saved} />}
            </Read>
          </Setting>
          <Setting id="review" title={t('general.review')} why={t('general.review_why')}>
            <p className="actions">
              <Link to="/app/settings/members" hash="rules" className="button">
                {t('general.review_rules')}
              </Link>
              <Link to="/app/quality" search={{ view: 'spot_check' }} className="button">
                {t('general.review_checks')}
              </Link>
            </p>
          </Setting>
          <Policy me={me} settings={['instructions', 'sentences', 'context']} />
          <Segmentation />
          <TextRules />
        </>
      )}
    </AdminsOnly>
  );
}

type General = OutputOf<'tenants.general'>;

/**
 * The name and the default languages. If another administrator has saved them since, the form shows this, and a second save
 * replaces those values.
 */
function WorkspaceForm({ saved }: { saved: General }) {
  const t = useT();
  const queries = useQueryClient();
  const [form, setForm] = useState(saved);
  const { name, default_source_lang: source, default_target_langs: targets } = form;
  const change = (changed: Partial<General>) => setForm((before) => ({ ...before, ...changed }));
  const take = (now: General) => {
    queries.setQueryData(queryKeys.general, now);
    return now;
  };
  const save = async () => {
    try {
      setForm(take(await procedures.tenants.saveGeneral.mutate(form)));
      announce(t('common.saved'));
      await queries.invalidateQueries({ queryKey: queryKeys.me });
    } catch (thrown) {
      if (isConflict(thrown)) change({ version: take(await procedures.tenants.general.query()).version });
      throw thrown;
    }
  };
  const isChanged = JSON.stringify(form) !== JSON.stringify(saved);
  return (
    <Form
      action={t('common.save')}
      isReady={isChanged && name.trim() !== ''}
      onSubmit={save}
      problem={(error) => <SaveProblem error={error} />}
      others={({ isBusy }) =>
        isChanged && (
          <button type="button" disabled={isBusy} onClick={() => setForm(saved)}>
            {t('general.discard')}
          </button>
        )
      }
    >
      <Field
        label={t('general.name')}
        name="name"
        required
        maxLength={200}
        dir="auto"
        autoComplete="off"
        value={name}
        onValue={(typed) => change({ name: typed })}
      />
      <Group label={t('general.languages')}>
        <SourceLanguageSelect
          value={source ?? detected}
          onChange={(code) => change({ default_source_lang: code === detected ? null : code })}
        />
        <TargetChips codes={targets} onChange={(codes) => change({ default_target_langs: codes })} />
      </Group>
    </Form>
  );
}
