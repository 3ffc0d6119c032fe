import type { LandingWords } from './words.ts';

export const pt: LandingWords = {
  title: 'Traduções pelas quais você pode responder',
  eyebrow: 'Tradução de código aberto, com pessoas no processo',
  headline: 'Traduções pelas quais você pode responder.',
  lead: 'Envie uma frase ou um arquivo inteiro. O LinguaLoop traduz, verifica cada segmento e mostra a você somente os que precisam de uma pessoa.',
  readApi: 'Ler a API',
  demo: 'Explorar o espaço de demonstração',
  points: [
    'Código aberto, sob a licença MIT',
    'No seu servidor: `npm ci && npm start`',
    'Funciona com modelos compatíveis com a OpenAI',
  ],
  picture:
    'O editor: a ata de uma reunião em inglês e espanhol, segmento por segmento, com um horário alterado marcado como crítico.',
  how: 'Como funciona',
  howHeading: 'Três coisas que não passam despercebidas',
  layout: {
    heading: 'O layout é mantido',
    text: 'Arquivos de {formats} formatos mantêm sua forma: títulos, tabelas, links e quebras de página. Em árabe, a página é lida da direita para a esquerda.',
    measured:
      'Medido: {texts} de {texts} textos traduzidos em {files} arquivos do Word e do Excel, com todas as fórmulas, links e estilos sem alterações.',
  },
  checks: {
    heading: 'Verificações que nenhum modelo pode anular',
    text: 'Um código simples compara números, marcadores, links e tags. Uma boa nota não compensa um valor alterado.',
    measured:
      'Medido: {caught} de {losses} erros inseridos foram encontrados em {tested} idiomas, com {alarms} alarmes falsos em {pairs} traduções reais.',
  },
  memory: {
    heading: 'Uma memória criada pelos revisores',
    text: 'Um texto aprovado é usado de novo sem modelo. Textos parecidos guiam o modelo como exemplos, e seus termos valem desde o primeiro trabalho.',
    measured:
      'Medido: entre {segments} segmentos, uma correspondência exata leva {exact} ms, e uma parcial, {fuzzy} ms.',
    exact: ['Já aprovado', 'sem modelo'],
    fuzzy: ['Um valor difere', 'um exemplo'],
    fresh: ['novo', 'Nunca visto', 'tudo verificado'],
  },
  formats: 'Formatos',
  formatsHeading: '{formats} formatos de arquivo que mantêm sua forma',
  different: {
    heading: 'O que o torna diferente',
    submissions: {
      heading: 'Nenhum envio conta duas vezes',
      text: 'Envie de novo um texto ou um arquivo com a mesma chave e você recebe o mesmo trabalho. Os caracteres contam uma vez.',
    },
    gate: {
      heading: 'Um controle antes de cada resultado',
      text: 'Uma tradução que não passa em uma verificação vai para um revisor, em textos e em arquivos. O revisor corrige segmento por segmento, e até um PDF mantém seu layout.',
    },
    storage: {
      heading: 'Um armazenamento que é seu',
      text: 'Arquivos e registros ficam em um diretório do seu servidor ou no seu Azure Data Lake. O modelo recebe textos, nunca arquivos.',
    },
    start: {
      heading: 'Um comando para hospedar',
      text: '`npm ci && npm start` instala e inicia tudo, inclusive o banco de dados. Não é preciso ter conta nem chave de licença.',
    },
    install: 'Instalação',
  },
  languages: 'Idiomas',
  languagesHeading: '{count} idiomas, cada um na sua escrita',
  developers: 'Desenvolvedores',
  developersHeading: 'Uma solicitação. A resposta é o trabalho concluído.',
  developersText:
    'Um texto que precisa de um revisor retorna `awaiting_review` e aparece na caixa de entrada.',
  developersPoints: [
    'SDK com tipos: {sdk} kB, sem dependências',
    'OpenAPI 3.1, XLIFF 2.1, TBX',
    'Chaves de idempotência, cursores, erros legíveis',
  ],
  quickStart: 'Início rápido',
  samples: 'Exemplo',
  comment: 'a resposta é o trabalho concluído',
  prices: {
    heading: 'Preços',
    characters: '{characters} caracteres por mês',
    per: { day: 'por dia', week: 'por semana', month: 'por mês', year: 'por ano' },
    topup: 'Mais quando você precisar: {characters} caracteres por {price}.',
    inclusive: 'Os preços incluem impostos.',
    exclusive: 'Os preços não incluem impostos.',
  },
  finalHeading: 'Leia menos. Confie mais.',
  finalText: 'Comece com um arquivo.',
  trial:
    'Comece com um texto: os primeiros {characters} caracteres são gratuitos por {days}. Arquivos e a API exigem um plano.',
  plan: 'Textos, arquivos e a API exigem um plano.',
  apiPlan: 'Neste serviço, a API exige um plano.',
};
