import type { MailWords } from './words.ts';

export const pt: MailWords = {
  invite: {
    subject: 'Convite para o espaço de trabalho {workspace}',
    lead: '{by} convida você para o espaço de trabalho {workspace} no LinguaLoop.',
    leadByOperator: 'O operador do LinguaLoop convida você para o espaço de trabalho {workspace}.',
    action: 'Aceitar convite',
    until: 'O link funciona uma única vez, até {when}.',
    why: 'Se você não esperava este convite, ignore este e-mail. Sem o link, nada acontece.',
  },
  confirmation: {
    subject: 'Confirme seu endereço de e-mail',
    lead: 'Alguém criou uma conta no LinguaLoop com este endereço de e-mail. Se foi você, confirme o endereço para poder receber e-mails do LinguaLoop e enviar convites.',
    action: 'Confirmar endereço',
    why: 'Se não foi você, ignore este e-mail. Até que o endereço seja confirmado, a conta não recebe avisos por e-mail.',
  },
  resetLink: {
    subject: 'Defina uma nova senha',
    lead: 'Um administrador criou um link para você definir uma nova senha para o espaço de trabalho {workspace} no LinguaLoop.',
    leadOwn:
      'No login do LinguaLoop foi pedida uma nova senha para sua conta no espaço de trabalho {workspace}.',
    action: 'Definir senha',
    until: 'O link funciona uma única vez, até {when}. Ele encerra todas as suas sessões.',
    why: 'Se você não pediu uma nova senha, ignore este e-mail e informe seu administrador. Sua senha continua a mesma.',
  },
  security: {
    authenticator: 'Novo aplicativo autenticador na sua conta',
    recovery_codes: 'Novos códigos de recuperação na sua conta',
    password: 'Sua senha foi alterada',
    provider: 'O login único foi vinculado à sua conta',
    lead: 'Conta no espaço de trabalho {workspace} do LinguaLoop, {when}.',
    why: 'Se foi você, não é preciso fazer nada. Se não foi, altere sua senha e peça a um administrador do espaço de trabalho que redefina seu aplicativo autenticador.',
    action: 'Abrir os ajustes de segurança',
  },
  secondReview: {
    subject: 'Menos itens exigem uma segunda revisão',
    lead: 'Um administrador alterou as atribuições ou suas regras no espaço de trabalho {workspace} do LinguaLoop, e menos itens exigem uma segunda revisão, {when}.',
    why: 'Se você não esperava isso, verifique as regras. O registro de auditoria mostra quem as alterou.',
    action: 'Abrir as regras de atribuição',
  },
  digest: {
    subject: { one: '{n} item aguarda revisão', other: '{n} itens aguardam revisão' },
    lead: {
      one: '{n} item aguarda revisão no espaço de trabalho {workspace}.',
      other: '{n} itens aguardam revisão no espaço de trabalho {workspace}.',
    },
    assigned: { one: '{n} item está atribuído a você.', other: '{n} itens estão atribuídos a você.' },
    dueSoon: { one: '{n} item vence em um dia.', other: '{n} itens vencem em um dia.' },
    overdue: { one: '{n} item está atrasado.', other: '{n} itens estão atrasados.' },
    action: 'Abrir a caixa de entrada',
  },
  decisions: {
    approved: { one: '{n} tradução foi aprovada.', other: '{n} traduções foram aprovadas.' },
    rejected: { one: '{n} tradução foi rejeitada.', other: '{n} traduções foram rejeitadas.' },
    lead: 'Envio feito por você no espaço de trabalho {workspace}. As traduções rejeitadas não são publicadas.',
    open: 'Abrir as traduções',
  },
  documents: {
    translated: { one: '{n} documento foi traduzido.', other: '{n} documentos foram traduzidos.' },
    failed: {
      one: 'Não foi possível traduzir {n} documento.',
      other: 'Não foi possível traduzir {n} documentos.',
    },
    lead: 'Envio feito por você no espaço de trabalho {workspace}.',
    openOne: 'Abrir o documento',
    openAll: 'Abrir os arquivos',
  },
  link: 'Se o botão não funcionar, abra esta URL:',
  why: 'Você recebe este e-mail porque é membro do espaço de trabalho {workspace}.',
  unsubscribe: 'Desativar e-mails deste tipo',
};
