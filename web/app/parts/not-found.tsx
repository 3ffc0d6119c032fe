import { Link } from '@tanstack/react-router';
import { useT } from '../i18n.tsx';

export function NotFound() {
  const t = useT();
  return (
    <main className="narrow">
      <h1>{t('common.not_found')}</h1>
      <p>
        <Link to="/app">{t('common.home')}</Link>
      </p>
    </main>
  );
}
