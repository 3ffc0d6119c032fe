import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { useSession } from '../../session/use-session.ts';
import { PasswordSignIn } from './password-sign-in.tsx';

/** `/signin`: the ways to sign in that this deployment has. */
export function SignInScreen() {
  const t = useT();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/signin' });
  const { kind } = useSession();
  useEffect(() => {
    if (kind === 'signed_in') void navigate({ href: next ?? '/app', replace: true });
  }, [kind, next, navigate]);
  return (
    <main className="narrow">
      <title>{`${t('signin.title')} · LinguaLoop`}</title>
      <h1>{t('signin.title')}</h1>
      {deployment.passwordSignIn && <PasswordSignIn />}
    </main>
  );
}
