import type { SmallTalk } from '../word-groups.ts'

/** Portuguese. */
export const portuguese: SmallTalk = {
  talk:
    'ola oi oii oie ei eai opa bom bons boa boas obrigad- obgd brigadao brigadinho agradec- grato grata ' +
    'pfvr pfvor sff gentileza please plz help sos socorro pergunt- duvida duvidas duvidazinha ajud- ' +
    'alguem resposta respostas respond- urgente urgentemente urgencia rapid- antemao desculp- perdao ' +
    'incomod- dizer diz dizem diga digam dizerem explic- expliqu- esclarec- tirar saber sabe sabem ' +
    'saberia soubesse souber soubessem sei sabes sabia entend- perceb- compreend- procurar procurei ' +
    'procuro procurando busquei buscando achar acho achei encontr- informar informe descobrir descobri ' +
    'novo nova novato novata leigo leiga iniciante galera mano cara bj beijo atencios- cordial- prezad- ' +
    'exmo exma exmos exmas excelentissimos breve resumid- curto curta curtinha simples palavras passo ' +
    'passos detalh- exemplo exemplos clara claro besta boba burra idiota parva confuso confusa kkk rs ' +
    'rsrs haha hahaha lol gostari- gostava queria queriamos poderia poderiam poderias podiam aguardo ' +
    'aguardando espero esperando paciencia nocao ideia ideias tranquilo curiosidade otimo caros epa ah ' +
    'olha entao ok okay certo show blz perfeito fala salva textao obvio travei perdidasso simplificad- ' +
    'valendo feliz hey cumprimento travado travada coisa coisas tambem bem tentei kkkk- falem fale hi ' +
    'hello sorry asap thx thanks bye ps senhores problema problemas probleminha importante tchau ' +
    'saudacoes duvidinha aguardar boiando tmj flw tks obsequio dispor viva salve maozinha objetiva direta ' +
    'direto leigos dica dicas wtf omg obgda colegas explicar explica explica- rapida rapido encontrar',
  beside:
    'eu me mim meu minha meus minhas nos nosso voce voces vc vcs tu te ti lhe lhes ele ela isto isso este ' +
    'esta esse essa nisso nisto disso disto o a os as um uma uns umas de do da dos das em no na nas num ' +
    'numa por pelo pela para pra pro com ao aos que e ou mas pois ser sou sao sido foi era seja sejam ' +
    'estou to ta estao estava esteja estejam tenho tem ter tinha tive tivesse tivessem tenha tenham temos ' +
    'pode podem podes posso puder puderem pudesse fazer vai vou ir ia ficar fico ficaria ficamos fiquei ' +
    'fiquem ja ainda aqui la ai muito muita muitas muitos mais tudo todo toda todos todas outra outro ' +
    'alguma algum agora ontem dia dias semana fim passada desde ha dois duas tres lado lados anos vez ' +
    'vezes mesmo sobre qualquer junto mandei mandar enviei forum suporte senhor portugues linhas frase ' +
    'frases perdido perdida seguinte possivel retorno melhores atencao consigo conseguindo consegui ' +
    'conseguir lugar novamente continuo li lido ultima questao precisa preciso precisava precisando vem ' +
    'venho meio volta voltas assunto cada quiser mto mt igual der dar tempinho favorzinho pouco pouca ' +
    'sendo pelos pelas grande solicitar n sera poucas for serve consegue conseguem possa possam parece ' +
    'achando cima forma maneira cinco quatro tira surgiu bateu haja hajam pessoal malta',
  denials: 'nao nada nenhum nenhuma ninguem nunca',
  documents: 'documentacao documentos documento fonte fontes segundo conforme cite citar citando',
  asks: 'como quando quanto quanta quantos quantas quem qual quais onde aonde se porque pq que por',
  leads: 'dizer diga sabe sabem sabes informar',
  ends: 'obrigado obrigada favor pfv pf obg vlw valeu brigado brigada pls',
  closings:
    'abracos abraco abs cumprimentos atenciosamente att bjs beijos beijinhos obrigado obrigada cordialmente obg',
  requests:
    'ajud- explic- explica explicar expliqu- esclarec- dizer diz dizem diga digam dizerem encontr- ' +
    'encontrar procurar procuro procurando buscando ideia ideias dica dicas fala fale falem informar ' +
    'informe informacao busca',
  names: 'gente colegas senhores amigo deus filhos chefe senhora tempo noite tarde equipe equipa',
  labels: 'numero nr pedido encomenda cliente fatura ticket referencia protocolo contrato telefone tel',
}
