import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Field, PasswordField } from '../../kit/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { signInRequest } from '../../session/sign-in-request.ts';
import type { SignInAnswer } from './steps.ts';

/** A valid invite and its token. If it has no email address, anyone with the link may join. */
export interface Invitation {
  token: string;
  emailProof: string | null;
  tenant_name: string;
  email: string | null;
}

/** Creates a workspace, or joins the workspace of an invite, with email and password. */
export function SignUpForm({
  invitation,
  onAnswer,
}: {
  invitation?: Invitation;
  onAnswer(answer: SignInAnswer): void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [name, setName] = useState('');
  const [email, setEmail] = useState(invitation?.email ?? '');
  const [password, setPassword] = useState('');

  const signUp = run(async () => {
    const outcome = await signInRequest<SignInAnswer>('signup', {
      // The service requires a name in any case; for an invite, it is the name of the existing workspace.
      tenant_name: invitation?.tenant_name ?? name,
      email,
      password,
      invite_token: invitation?.token,
      email_proof: invitation?.emailProof ?? undefined,
    });
    if (!outcome.ok) throw outcome.error;
    onAnswer(outcome.body);
  });

  return (
    <form onSubmit={signUp}>
      {error !== undefined && <Problem error={error} />}
      {!invitation && (
        <Field
          label={t('signin.workspace_name')}
          problem={fieldProblem(error, 'tenant_name')}
          name="organization"
          autoComplete="organization"
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
      )}
      <Field
        label={t('signin.email')}
        problem={fieldProblem(error, 'email')}
        type="email"
        name="username"
        autoComplete="username"
        required
        readOnly={typeof invitation?.email === 'string'}
        value={email}
        onValue={setEmail}
      />
      <PasswordField
        label={t('signin.new_password')}
        hint={t('signin.password_hint')}
        problem={fieldProblem(error, 'password')}
        name="password"
        autoComplete="new-password"
        required
        minLength={12}
        value={password}
        onValue={setPassword}
      />
      <button type="submit" className="primary" aria-disabled={isBusy}>
        {invitation ? t('signin.join_submit') : t('signin.found_submit')}
      </button>
    </form>
  );
}
