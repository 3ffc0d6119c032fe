/**
 * Each line contains a term, then after "=" forms of the term that must count, and after "≠" similar words that must
 * not count.
 */
export const romance = {
  fr: `
contrat = contrats ≠ contraste, contracter, contrainte
facture = factures ≠ facteur, facturation, fracture
société = sociétés ≠ social, socialisme
conseil municipal = conseils municipaux ≠ conseil, municipal, conseil régional
réseau = réseaux ≠ réserve, réseautage
travail = travaux ≠ travailleur, travers
acheteur = acheteurs, acheteuse, acheteuses ≠ achat, acheter, achever
payer = payé, payée, payés, payent, payait, paie ≠ paiement, pays, payable
fournir = fournit, fournis, fourni, fournie, fournissent, fournissant ≠ fournisseur, four, fourniture
rendre = rend, rendu, rendue, rendent ≠ rendement, rente
client = clients, cliente, clientes ≠ clientèle, climat
contrat de location = contrats de location, contrat de la location ≠ contrat, location, contrat de travail
actif = active, actifs, actives ≠ action, activité, acteur
lieu = lieux ≠ lieutenant, lien`,
  es: `
contrato = contratos ≠ contraste, contratista, contratación, contrario
factura = facturas ≠ fractura, facturación, factor
obligación = obligaciones ≠ obligado, oblicuo
examen = exámenes ≠ examinar, examinador
luz = luces ≠ lucha, lustre
usuario = usuarios, usuaria, usuarias ≠ uso, usura, usual
pagar = paga, pagó, pagado, pagada, pagan, pagará, pagando ≠ página, país, pagano
vender = vende, vendido, vendió, venderá, venden, vendiendo ≠ vendedor, venta, vencer
contrato público = contratos públicos ≠ contrato, público, contrato privado
ley = leyes ≠ leyenda, lejos
juez = jueces ≠ juego, juicio
caso = casos ≠ casa, casas, casi`,
  it: `
contratto = contratti ≠ contrasto, contrattazione, contrarre
fattura = fatture ≠ frattura, fatturato, fattore
banca = banche ≠ banco, banchi, bancone
luogo = luoghi ≠ luglio, lungo
accordo = accordi ≠ accorto, ricordo
ufficio = uffici ≠ ufficiale, edificio
pagare = paga, pagato, pagata, pagano, pagherà, pagando ≠ pagamento, paese, pagina
utente = utenti ≠ utenza, utensile
condizione generale = condizioni generali ≠ condizione, generale, condizionale
legge = leggi ≠ leggere, leggero
amministrativo = amministrativa, amministrativi, amministrative ≠ amministratore, amministrazione`,
  'pt-BR': `
contrato = contratos ≠ contraste, contratante, contratação
obrigação = obrigações ≠ obrigado, obrigatório
papel = papéis ≠ papelão, papa
anual = anuais ≠ anualidade, ano
homem = homens ≠ homenagem, ombro
fatura = faturas ≠ fratura, faturamento, futuro
usuário = usuários, usuária ≠ uso, usura
pagar = paga, pagou, pagado, pagam, pagará, pagando ≠ pagamento, página, pagão
vender = vende, vendeu, vendido, vendem, vendendo ≠ vendedor, vencer
termo de uso = termos de uso ≠ termo, uso, termo de posse
mês = meses ≠ mesa, mesmo
valor = valores ≠ valeta, valioso`,
  ro: `
contract = contractul, contracte, contractele, contractului, contractelor ≠ contrast, contrar, contact
factură = factura, facturi, facturile, facturii, facturilor ≠ factor, fractură, facturare
lege = legea, legi, legile, legii, legilor ≠ legat, legendă
utilizator = utilizatorul, utilizatori, utilizatorii, utilizatorului, utilizatorilor ≠ utilizare, utilaj
plată = plata, plăți, plățile, plății ≠ plat, plătitor, plantă
serviciu = serviciul, servicii, serviciile, serviciului, serviciilor ≠ servi, servitor
obligație = obligația, obligații, obligațiile, obligației, obligațiilor ≠ oblig, obligat
bancă = banca, bănci, băncile, băncii ≠ ban, bancar
client = clientul, clienți, clienții, clientului, clienților ≠ climat, clientelă
stat = statul, state, statele, statului ≠ statuie, stație, statut`,
  el: `
σύμβαση = σύμβασης, συμβάσεις, συμβάσεων, συμβάσεως ≠ σύμβουλος, συμβατός, συμβασιούχος
τιμολόγιο = τιμολογίου, τιμολόγια, τιμολογίων ≠ τιμή, τιμολόγηση
πελάτης = πελάτη, πελάτες, πελατών ≠ πελατεία, πέλαγος
νόμος = νόμου, νόμο, νόμοι, νόμων, νόμους ≠ νομικός, νόμισμα
πρόβλημα = προβλήματος, προβλήματα, προβλημάτων ≠ προβληματισμός, πρόβλεψη, προβολή
υπηρεσία = υπηρεσίας, υπηρεσίες, υπηρεσιών ≠ υπηρέτης, υπηρεσιακός
προσωπικά δεδομένα = προσωπικών δεδομένων ≠ προσωπικό, δεδομένα, προσωπικά αντικείμενα
αγοραστής = αγοραστή, αγοραστές, αγοραστών ≠ αγορά, αγοραστικός
έτος = έτους, έτη, ετών ≠ έτοιμος, ετήσιος
παιδί = παιδιού, παιδιά, παιδιών ≠ παιδεία, παιδικός`,
};
