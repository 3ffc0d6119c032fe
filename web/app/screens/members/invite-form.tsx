import { useState } from 'react';
import type { CreatedInvite, ReviewerProfile } from '#sdk/types.ts';
import { LanguageFields } from '../../assignments/profile-dialog.tsx';
import { tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { proved } from '../../session/proof.ts';
import { RoleChoice } from './role-choice.tsx';

/** Creates an invite. @param onCreated gets the invite with its token, which the service returns only once */
export function InviteForm({ onCreated }: { onCreated: (invite: CreatedInvite) => Promise<unknown> }) {
  const t = useT();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('agent_id_developer');
  const [languages, setLanguages] = useState<ReviewerProfile['languages']>([]);
  const [days, setDays] = useState('');
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    const request = {
      role,
      languages,
      ...(email.trim() !== '' && { email: email.trim() }),
      ...(days !== '' && { expires_in_days: Number(days) }),
    };
    const created = await proved(() => tell<CreatedInvite>('members.createInvite', request));
    setEmail('');
    await onCreated(created);
  });

  const wrongEmail = fieldProblem(error, 'email');
  const wrongDays = fieldProblem(error, 'expires_in_days');
  return (
    <details>
      <summary className="button">{t('members.invite')}</summary>
      <form className="form" onSubmit={submit}>
        {error && !wrongEmail && !wrongDays ? <Problem error={error} /> : null}
        <Field
          label={t('members.email')}
          hint={t('members.invite_email_hint')}
          problem={wrongEmail}
          type="email"
          maxLength={320}
          autoComplete="off"
          value={email}
          onValue={setEmail}
        />
        <RoleChoice value={role} onChange={setRole} />
        <LanguageFields languages={languages} onChange={setLanguages} />
        <Field
          label={t('members.days')}
          hint={t('members.days_hint')}
          problem={wrongDays}
          type="number"
          min={1}
          max={30}
          value={days}
          onValue={setDays}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          {t('members.create_invite')}
        </button>
      </form>
    </details>
  );
}
