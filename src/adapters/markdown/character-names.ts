/** Characters by the names that HTML has for them. */

/**
 * All names of single characters. A line is the code of its first character, in hexadecimal, and the names of that one and
 * of those that follow it; a character without a name is nothing between two commas. Several names of one character are
 * divided by `|`; `!` follows those that are also read without a semicolon behind them.
 *
 * @see https://html.spec.whatwg.org/multipage/named-characters.html
 */
const CHARACTERS = `
9 Tab,NewLine
21 excl,QUOT!|quot!,num,dollar,percnt,AMP!|amp!,apos,lpar,rpar,ast|midast,plus,comma,,period,sol
3a colon,semi,LT!|lt!,equals,GT!|gt!,quest,commat
5b lsqb|lbrack,bsol,rsqb|rbrack,Hat,lowbar|UnderBar,grave|DiacriticalGrave
7b lcub|lbrace,vert|verbar|VerticalLine,rcub|rbrace
a0 nbsp!|NonBreakingSpace,iexcl!,cent!,pound!,curren!,yen!,brvbar!,sect!,die|Dot|uml!|DoubleDot,COPY!|copy!
aa ordf!,laquo!,not!,shy!,REG!|reg!|circledR,macr!|strns,deg!,pm|plusmn!|PlusMinus,sup2!,sup3!
b4 acute!|DiacriticalAcute,micro!,para!,middot!|CenterDot|centerdot,cedil!|Cedilla,sup1!,ordm!,raquo!,frac14!
bd half|frac12!,frac34!,iquest!,Agrave!,Aacute!,Acirc!,Atilde!,Auml!,angst|Aring!,AElig!,Ccedil!,Egrave!,Eacute!
ca Ecirc!,Euml!,Igrave!,Iacute!,Icirc!,Iuml!,ETH!,Ntilde!,Ograve!,Oacute!,Ocirc!,Otilde!,Ouml!,times!,Oslash!
d9 Ugrave!,Uacute!,Ucirc!,Uuml!,Yacute!,THORN!,szlig!,agrave!,aacute!,acirc!,atilde!,auml!,aring!,aelig!,ccedil!
e8 egrave!,eacute!,ecirc!,euml!,igrave!,iacute!,icirc!,iuml!,eth!,ntilde!,ograve!,oacute!,ocirc!,otilde!,ouml!
f7 div|divide!,oslash!,ugrave!,uacute!,ucirc!,uuml!,yacute!,thorn!,yuml!,Amacr,amacr,Abreve,abreve,Aogon,aogon
106 Cacute,cacute,Ccirc,ccirc,Cdot,cdot,Ccaron,ccaron,Dcaron,dcaron,Dstrok,dstrok,Emacr,emacr,,,Edot,edot,Eogon
119 eogon,Ecaron,ecaron,Gcirc,gcirc,Gbreve,gbreve,Gdot,gdot,Gcedil,,Hcirc,hcirc,Hstrok,hstrok,Itilde,itilde
12a Imacr,imacr,,,Iogon,iogon,Idot,imath|inodot,IJlig,ijlig,Jcirc,jcirc,Kcedil,kcedil,kgreen,Lacute,lacute
13b Lcedil,lcedil,Lcaron,lcaron,Lmidot,lmidot,Lstrok,lstrok,Nacute,nacute,Ncedil,ncedil,Ncaron,ncaron,napos,ENG
14b eng,Omacr,omacr,,,Odblac,odblac,OElig,oelig,Racute,racute,Rcedil,rcedil,Rcaron,rcaron,Sacute,sacute,Scirc
15d scirc,Scedil,scedil,Scaron,scaron,Tcedil,tcedil,Tcaron,tcaron,Tstrok,tstrok,Utilde,utilde,Umacr,umacr,Ubreve
16d ubreve,Uring,uring,Udblac,udblac,Uogon,uogon,Wcirc,wcirc,Ycirc,ycirc,Yuml,Zacute,zacute,Zdot,zdot,Zcaron
17e zcaron
192 fnof
1b5 imped
1f5 gacute
237 jmath
2c6 circ,caron|Hacek
2d8 Breve|breve,dot|DiacriticalDot,ring,ogon,tilde|DiacriticalTilde,dblac|DiacriticalDoubleAcute
311 DownBreve
391 Alpha,Beta,Gamma,Delta,Epsilon,Zeta,Eta,Theta,Iota,Kappa,Lambda,Mu,Nu,Xi,Omicron,Pi,Rho,,Sigma,Tau,Upsilon
3a6 Phi,Chi,Psi,ohm|Omega
3b1 alpha,beta,gamma,delta,epsi|epsilon,zeta,eta,theta,iota,kappa,lambda,mu,nu,xi,omicron,pi,rho
3c2 sigmaf|sigmav|varsigma,sigma,tau,upsi|upsilon,phi,chi,psi,omega
3d1 thetav|thetasym|vartheta,Upsi|upsih,,,phiv|varphi|straightphi,piv|varpi
3dc Gammad,gammad|digamma
3f0 kappav|varkappa,rhov|varrho,,,,epsiv|varepsilon|straightepsilon,bepsi|backepsilon
401 IOcy,DJcy,GJcy,Jukcy,DScy,Iukcy,YIcy,Jsercy,LJcy,NJcy,TSHcy,KJcy,,Ubrcy,DZcy,Acy,Bcy,Vcy,Gcy,Dcy,IEcy,ZHcy
417 Zcy,Icy,Jcy,Kcy,Lcy,Mcy,Ncy,Ocy,Pcy,Rcy,Scy,Tcy,Ucy,Fcy,KHcy,TScy,CHcy,SHcy,SHCHcy,HARDcy,Ycy,SOFTcy,Ecy
42e YUcy,YAcy,acy,bcy,vcy,gcy,dcy,iecy,zhcy,zcy,icy,jcy,kcy,lcy,mcy,ncy,ocy,pcy,rcy,scy,tcy,ucy,fcy,khcy,tscy
447 chcy,shcy,shchcy,hardcy,ycy,softcy,ecy,yucy,yacy,,iocy,djcy,gjcy,jukcy,dscy,iukcy,yicy,jsercy,ljcy,njcy
45b tshcy,kjcy,,ubrcy,dzcy
2002 ensp,emsp,emsp13,emsp14,,numsp,puncsp,thinsp|ThinSpace,hairsp|VeryThinSpace
200b ZeroWidthSpace|NegativeThinSpace|NegativeThickSpace|NegativeMediumSpace|NegativeVeryThinSpace,zwnj,zwj,lrm
200f rlm,dash|hyphen,,,ndash,mdash,horbar,Vert|Verbar,,lsquo|OpenCurlyQuote,rsquo|rsquor|CloseCurlyQuote
201a sbquo|lsquor,,ldquo|OpenCurlyDoubleQuote,rdquo|rdquor|CloseCurlyDoubleQuote,bdquo|ldquor,,dagger
2021 Dagger|ddagger,bull|bullet,,,nldr,mldr|hellip
2030 permil,pertenk,prime,Prime,tprime,bprime|backprime,,,,lsaquo,rsaquo,,,,oline|OverBar,,,caret,,hybull,frasl
204f bsemi
2057 qprime
205f MediumSpace,NoBreak,af|ApplyFunction,it|InvisibleTimes,ic|InvisibleComma
20ac euro
20db tdot|TripleDot,DotDot
2102 Copf|complexes,,,incare
210a gscr,Hscr|hamilt|HilbertSpace,Hfr|Poincareplane,Hopf|quaternions,planckh,hbar|hslash|planck|plankv
2110 Iscr|imagline,Im|Ifr|image|imagpart,Lscr|lagran|Laplacetrf,ell,,Nopf|naturals,numero,copysr,wp|weierp
2119 Popf|primes,Qopf|rationals,Rscr|realine,Re|Rfr|real|realpart,Ropf|reals,rx,,,,TRADE|trade,,Zopf|integers
2127 mho,Zfr|zeetrf,iiota,,,Bscr|bernou|Bernoullis,Cfr|Cayleys,,escr,Escr|expectation,Fscr|Fouriertrf
2133 Mscr|phmmat|Mellintrf,oscr|order|orderof,aleph|alefsym,beth,gimel,daleth
2145 DD|CapitalDifferentialD,dd|DifferentialD,ee|ExponentialE|exponentiale,ii|ImaginaryI
2153 frac13,frac23,frac15,frac25,frac35,frac45,frac16,frac56,frac18,frac38,frac58,frac78
2190 larr|slarr|LeftArrow|leftarrow|ShortLeftArrow,uarr|UpArrow|uparrow|ShortUpArrow
2192 rarr|srarr|RightArrow|rightarrow|ShortRightArrow,darr|DownArrow|downarrow|ShortDownArrow
2194 harr|LeftRightArrow|leftrightarrow,varr|UpDownArrow|updownarrow,nwarr|nwarrow|UpperLeftArrow
2197 nearr|nearrow|UpperRightArrow,searr|searrow|LowerRightArrow,swarr|swarrow|LowerLeftArrow,nlarr|nleftarrow
219b nrarr|nrightarrow,,rarrw|rightsquigarrow,Larr|twoheadleftarrow,Uarr,Rarr|twoheadrightarrow,Darr
21a2 larrtl|leftarrowtail,rarrtl|rightarrowtail,mapstoleft|LeftTeeArrow,mapstoup|UpTeeArrow
21a6 map|mapsto|RightTeeArrow,mapstodown|DownTeeArrow,,larrhk|hookleftarrow,rarrhk|hookrightarrow
21ab larrlp|looparrowleft,rarrlp|looparrowright,harrw|leftrightsquigarrow,nharr|nleftrightarrow,,Lsh|lsh,Rsh|rsh
21b2 ldsh,rdsh,,crarr,cularr|curvearrowleft,curarr|curvearrowright,,,olarr|circlearrowleft
21bb orarr|circlearrowright,lharu|LeftVector|leftharpoonup,lhard|DownLeftVector|leftharpoondown
21be uharr|RightUpVector|upharpoonright,uharl|LeftUpVector|upharpoonleft,rharu|RightVector|rightharpoonup
21c1 rhard|DownRightVector|rightharpoondown,dharr|RightDownVector|downharpoonright
21c3 dharl|LeftDownVector|downharpoonleft,rlarr|rightleftarrows|RightArrowLeftArrow,udarr|UpArrowDownArrow
21c6 lrarr|leftrightarrows|LeftArrowRightArrow,llarr|leftleftarrows,uuarr|upuparrows,rrarr|rightrightarrows
21ca ddarr|downdownarrows,lrhar|leftrightharpoons|ReverseEquilibrium,rlhar|Equilibrium|rightleftharpoons
21cd nlArr|nLeftarrow,nhArr|nLeftrightarrow,nrArr|nRightarrow,lArr|Leftarrow|DoubleLeftArrow
21d1 uArr|Uparrow|DoubleUpArrow,rArr|Implies|Rightarrow|DoubleRightArrow,dArr|Downarrow|DoubleDownArrow
21d4 iff|hArr|Leftrightarrow|DoubleLeftRightArrow,vArr|Updownarrow|DoubleUpDownArrow,nwArr,neArr,seArr,swArr
21da lAarr|Lleftarrow,rAarr|Rrightarrow,,zigrarr
21e4 larrb|LeftArrowBar,rarrb|RightArrowBar
21f5 duarr|DownArrowUpArrow
21fd loarr,roarr,hoarr,ForAll|forall,comp|complement,part|PartialD,exist|Exists,nexist|nexists|NotExists
2205 empty|emptyv|emptyset|varnothing,,Del|nabla,in|isin|isinv|Element,notin|notinva|NotElement
220b ni|niv|SuchThat|ReverseElement,notni|notniva|NotReverseElement,,,prod|Product,coprod|Coproduct,Sum|sum
2212 minus,mp|mnplus|MinusPlus,plusdo|dotplus,,setmn|ssetmn|setminus|Backslash|smallsetminus,lowast
2218 compfn|SmallCircle,,Sqrt|radic,,,prop|vprop|propto|varpropto|Proportional,infin,angrt,ang|angle
2221 angmsd|measuredangle,angsph,mid|smid|shortmid|VerticalBar,nmid|nsmid|nshortmid|NotVerticalBar
2225 par|spar|parallel|shortparallel|DoubleVerticalBar,npar|nspar|nparallel|nshortparallel|NotDoubleVerticalBar
2227 and|wedge,or|vee,cap,cup,int|Integral,Int,tint|iiint,oint|conint|ContourIntegral
222f Conint|DoubleContourIntegral,Cconint,cwint,cwconint|ClockwiseContourIntegral
2233 awconint|CounterClockwiseContourIntegral,there4|Therefore|therefore,becaus|Because|because,ratio
2237 Colon|Proportion,minusd|dotminus,,mDDot,homtht,sim|Tilde|thksim|thicksim,bsim|backsim,ac|mstpos,acd
2240 wr|wreath|VerticalTilde,nsim|NotTilde,esim|eqsim|EqualTilde,sime|simeq|TildeEqual
2244 nsime|nsimeq|NotTildeEqual,cong|TildeFullEqual,simne,ncong|NotTildeFullEqual
2248 ap|asymp|thkap|approx|TildeTilde|thickapprox,nap|napprox|NotTildeTilde,ape|approxeq,apid,bcong|backcong
224d CupCap|asympeq,bump|Bumpeq|HumpDownHump,bumpe|bumpeq|HumpEqual,doteq|esdot|DotEqual,eDot|doteqdot
2252 efDot|fallingdotseq,erDot|risingdotseq,Assign|colone|coloneq,ecolon|eqcolon,ecir|eqcirc,cire|circeq,,wedgeq
225a veeeq,,trie|triangleq,,,equest|questeq,ne|NotEqual,equiv|Congruent,nequiv|NotCongruent,,le|leq
2265 ge|geq|GreaterEqual,lE|leqq|LessFullEqual,gE|geqq|GreaterFullEqual,lnE|lneqq,gnE|gneqq,ll|Lt|NestedLessLess
226b gg|Gt|NestedGreaterGreater,twixt|between,NotCupCap,nlt|nless|NotLess,ngt|ngtr|NotGreater
2270 nle|nleq|NotLessEqual,nge|ngeq|NotGreaterEqual,lsim|lesssim|LessTilde,gsim|gtrsim|GreaterTilde
2274 nlsim|NotLessTilde,ngsim|NotGreaterTilde,lg|lessgtr|LessGreater,gl|gtrless|GreaterLess,ntlg|NotLessGreater
2279 ntgl|NotGreaterLess,pr|prec|Precedes,sc|succ|Succeeds,prcue|preccurlyeq|PrecedesSlantEqual
227d sccue|succcurlyeq|SucceedsSlantEqual,prsim|precsim|PrecedesTilde,scsim|succsim|SucceedsTilde
2280 npr|nprec|NotPrecedes,nsc|nsucc|NotSucceeds,sub|subset,sup|supset|Superset,nsub,nsup
2286 sube|subseteq|SubsetEqual,supe|supseteq|SupersetEqual,nsube|nsubseteq|NotSubsetEqual
2289 nsupe|nsupseteq|NotSupersetEqual,subne|subsetneq,supne|supsetneq,,cupdot,uplus|UnionPlus
228f sqsub|sqsubset|SquareSubset,sqsup|sqsupset|SquareSuperset,sqsube|sqsubseteq|SquareSubsetEqual
2292 sqsupe|sqsupseteq|SquareSupersetEqual,sqcap|SquareIntersection,sqcup|SquareUnion,oplus|CirclePlus
2296 ominus|CircleMinus,otimes|CircleTimes,osol,odot|CircleDot,ocir|circledcirc,oast|circledast
229d odash|circleddash,plusb|boxplus,minusb|boxminus,timesb|boxtimes,sdotb|dotsquare,vdash|RightTee
22a3 dashv|LeftTee,top|DownTee,bot|perp|UpTee|bottom,,models,vDash|DoubleRightTee,Vdash,Vvdash,VDash,nvdash
22ad nvDash,nVdash,nVDash,prurel,,vltri|LeftTriangle|vartriangleleft,vrtri|RightTriangle|vartriangleright
22b4 ltrie|trianglelefteq|LeftTriangleEqual,rtrie|trianglerighteq|RightTriangleEqual,origof,imof,mumap|multimap
22b9 hercon,intcal|intercal,veebar,,barvee,angrtvb,lrtri,Wedge|xwedge|bigwedge,Vee|xvee|bigvee
22c2 xcap|bigcap|Intersection,xcup|Union|bigcup,diam|Diamond|diamond,sdot,Star|sstarf,divonx|divideontimes
22c8 bowtie,ltimes,rtimes,lthree|leftthreetimes,rthree|rightthreetimes,bsime|backsimeq,cuvee|curlyvee
22cf cuwed|curlywedge,Sub|Subset,Sup|Supset,Cap,Cup,fork|pitchfork,epar,ltdot|lessdot,gtdot|gtrdot,Ll,Gg|ggg
22da leg|lesseqgtr|LessEqualGreater,gel|gtreqless|GreaterEqualLess,,,cuepr|curlyeqprec,cuesc|curlyeqsucc
22e0 nprcue|NotPrecedesSlantEqual,nsccue|NotSucceedsSlantEqual,nsqsube|NotSquareSubsetEqual
22e3 nsqsupe|NotSquareSupersetEqual,,,lnsim,gnsim,prnsim|precnsim,scnsim|succnsim
22ea nltri|ntriangleleft|NotLeftTriangle,nrtri|ntriangleright|NotRightTriangle
22ec nltrie|ntrianglelefteq|NotLeftTriangleEqual,nrtrie|ntrianglerighteq|NotRightTriangleEqual,vellip,ctdot
22f0 utdot,dtdot,disin,isinsv,isins,isindot,notinvc,notinvb,,isinE,nisd,xnis,nis,notnivc,notnivb
2305 barwed|barwedge,Barwed|doublebarwedge,,lceil|LeftCeiling,rceil|RightCeiling,lfloor|LeftFloor
230b rfloor|RightFloor,drcrop,dlcrop,urcrop,ulcrop,bnot,,profline,profsurf,,telrec,target
231c ulcorn|ulcorner,urcorn|urcorner,dlcorn|llcorner,drcorn|lrcorner,,,frown|sfrown,smile|ssmile
232d cylcty,profalar
2336 topbot
233d ovbar,,solbar
237c angzarr
23b0 lmoust|lmoustache,rmoust|rmoustache,,,tbrk|OverBracket,bbrk|UnderBracket,bbrktbrk
23dc OverParenthesis,UnderParenthesis,OverBrace,UnderBrace,,,trpezium
23e7 elinters
2423 blank
24c8 oS|circledS
2500 boxh|HorizontalLine,,boxv
250c boxdr,,,,boxdl,,,,boxur,,,,boxul,,,,boxvr
2524 boxvl
252c boxhd
2534 boxhu
253c boxvh
2550 boxH,boxV,boxdR,boxDr,boxDR,boxdL,boxDl,boxDL,boxuR,boxUr,boxUR,boxuL,boxUl,boxUL,boxvR,boxVr,boxVR,boxvL
2562 boxVl,boxVL,boxHd,boxhD,boxHD,boxHu,boxhU,boxHU,boxvH,boxVh,boxVH
2580 uhblk,,,,lhblk,,,,block
2591 blk14,blk12,blk34
25a1 squ|Square|square
25aa squf|squarf|blacksquare|FilledVerySmallSquare,EmptyVerySmallSquare,,rect,marker,,,fltns
25b3 xutri|bigtriangleup,utrif|blacktriangle,utri|triangle,,,rtrif|blacktriangleright,rtri|triangleright
25bd xdtri|bigtriangledown,dtrif|blacktriangledown,dtri|triangledown,,,ltrif|blacktriangleleft,ltri|triangleleft
25ca loz|lozenge,cir
25ec tridot,,,xcirc|bigcirc
25f8 ultri,urtri,lltri,EmptySmallSquare,FilledSmallSquare
2605 starf|bigstar,star
260e phone
2640 female,,male
2660 spades|spadesuit,,,clubs|clubsuit,,hearts|heartsuit,diams|diamondsuit,,,,sung,,,flat,natur|natural,sharp
2713 check|checkmark,,,,cross
2720 malt|maltese
2736 sext
2758 VerticalSeparator
2772 lbbrk,rbbrk
27c8 bsolhsub,suphsol
27e6 lobrk|LeftDoubleBracket,robrk|RightDoubleBracket,lang|langle|LeftAngleBracket,rang|rangle|RightAngleBracket
27ea Lang,Rang,loang,roang
27f5 xlarr|LongLeftArrow|longleftarrow,xrarr|LongRightArrow|longrightarrow
27f7 xharr|LongLeftRightArrow|longleftrightarrow,xlArr|Longleftarrow|DoubleLongLeftArrow
27f9 xrArr|Longrightarrow|DoubleLongRightArrow,xhArr|Longleftrightarrow|DoubleLongLeftRightArrow
27fc xmap|longmapsto,,,dzigrarr
2902 nvlArr,nvrArr,nvHarr,Map
290c lbarr,rbarr|bkarow,lBarr,rBarr|dbkarow,RBarr|drbkarow,DDotrahd,UpArrowBar,DownArrowBar,,,Rarrtl,,,latail
291a ratail,lAtail,rAtail,larrfs,rarrfs,larrbfs,rarrbfs,,,nwarhk,nearhk,searhk|hksearow,swarhk|hkswarow,nwnear
2928 toea|nesear,tosa|seswar,swnwar
2933 rarrc,,cudarrr,ldca,rdca,cudarrl,larrpl,,,curarrm,cularrp
2945 rarrpl,,,harrcir,Uarrocir,lurdshar,ldrushar,,,LeftRightVector,RightUpDownVector,DownLeftRightVector
2951 LeftUpDownVector,LeftVectorBar,RightVectorBar,RightUpVectorBar,RightDownVectorBar,DownLeftVectorBar
2957 DownRightVectorBar,LeftUpVectorBar,LeftDownVectorBar,LeftTeeVector,RightTeeVector,RightUpTeeVector
295d RightDownTeeVector,DownLeftTeeVector,DownRightTeeVector,LeftUpTeeVector,LeftDownTeeVector,lHar,uHar,rHar
2965 dHar,luruhar,ldrdhar,ruluhar,rdldhar,lharul,llhard,rharul,lrhard,udhar|UpEquilibrium
296f duhar|ReverseUpEquilibrium,RoundImplies,erarr,simrarr,larrsim,rarrsim,rarrap,ltlarr,,gtrarr,subrarr
297b suplarr,lfisht,rfisht,ufisht,dfisht
2985 lopar,ropar
298b lbrke,rbrke,lbrkslu,rbrksld,lbrksld,rbrkslu,langd,rangd,lparlt,rpargt,gtlPar,ltrPar,,,,vzigzag,,vangrt
299d angrtvbd
29a4 ange,range,dwangle,uwangle,angmsdaa,angmsdab,angmsdac,angmsdad,angmsdae,angmsdaf,angmsdag,angmsdah,bemptyv
29b1 demptyv,cemptyv,raemptyv,laemptyv,ohbar,omid,opar,,operp,,olcross,odsold,,olcir,ofcir,olt,ogt,cirscir,cirE
29c4 solb,bsolb,,,,boxbox,,,,trisb,rtriltri,LeftTriangleBar,RightTriangleBar
29dc iinfin,infintie,nvinfin
29e3 eparsl,smeparsl,eqvparsl
29eb lozf|blacklozenge
29f4 RuleDelayed,,dsol
2a00 xodot|bigodot,xoplus|bigoplus,xotime|bigotimes,,xuplus|biguplus,,xsqcup|bigsqcup
2a0c qint|iiiint,fpartint,,,cirfnint,awint,rppolint,scpolint,npolint,pointint,quatint,intlarhk
2a22 pluscir,plusacir,simplus,plusdu,plussim,plustwo,,mcomma,minusdu,,,loplus,roplus,Cross,timesd,timesbar
2a33 smashp,lotimes,rotimes,otimesas,Otimes,odiv,triplus,triminus,tritime,iprod|intprod,,,amalg,capdot,,ncup
2a43 ncap,capand,cupor,cupcap,capcup,cupbrcap,capbrcup,cupcup,capcap,ccups,ccaps,,,ccupssm,,,And,Or,andand,oror
2a57 orslope,andslope,,andv,orv,andd,ord,,wedbar
2a66 sdote,,,,simdot,,,congdot,easter,apacir,apE,eplus,pluse,Esim,Colone,Equal,,eDDot|ddotseq,equivDD,ltcir
2a7a gtcir,ltquest,gtquest,les|leqslant|LessSlantEqual,ges|geqslant|GreaterSlantEqual,lesdot,gesdot,lesdoto
2a82 gesdoto,lesdotor,gesdotol,lap|lessapprox,gap|gtrapprox,lne|lneq,gne|gneq,lnap|lnapprox,gnap|gnapprox
2a8b lEg|lesseqqgtr,gEl|gtreqqless,lsime,gsime,lsimg,gsiml,lgE,glE,lesges,gesles,els|eqslantless,egs|eqslantgtr
2a97 elsdot,egsdot,el,eg,,,siml,simg,simlE,simgE,LessLess,GreaterGreater,,glj,gla,ltcc,gtcc,lescc,gescc,smt,lat
2aac smte,late,bumpE,pre|preceq|PrecedesEqual,sce|succeq|SucceedsEqual,,,prE,scE,prnE|precneqq,scnE|succneqq
2ab7 prap|precapprox,scap|succapprox,prnap|precnapprox,scnap|succnapprox,Pr,Sc,subdot,supdot,subplus,supplus
2ac1 submult,supmult,subedot,supedot,subE|subseteqq,supE|supseteqq,subsim,supsim,,,subnE|subsetneqq
2acc supnE|supsetneqq,,,csub,csup,csube,csupe,subsup,supsub,subsub,supsup,suphsub,supdsub,forkv,topfork,mlcp
2ae4 Dashv|DoubleLeftTee,,Vdashl,Barv,vBar,vBarv,,Vbar,Not,bNot,rnmid,cirmid,midcir,topcir,nhpar,parsim
2afd parsl
fb00 fflig,filig,fllig,ffilig,ffllig
1d49c Ascr,,Cscr,Dscr,,,Gscr,,,Jscr,Kscr,,,Nscr,Oscr,Pscr,Qscr,,Sscr,Tscr,Uscr,Vscr,Wscr,Xscr,Yscr,Zscr,ascr
1d4b7 bscr,cscr,dscr,,fscr,,hscr,iscr,jscr,kscr,lscr,mscr,nscr,,pscr,qscr,rscr,sscr,tscr,uscr,vscr,wscr,xscr
1d4ce yscr,zscr
1d504 Afr,Bfr,,Dfr,Efr,Ffr,Gfr,,,Jfr,Kfr,Lfr,Mfr,Nfr,Ofr,Pfr,Qfr,,Sfr,Tfr,Ufr,Vfr,Wfr,Xfr,Yfr,,afr,bfr,cfr,dfr
1d522 efr,ffr,gfr,hfr,ifr,jfr,kfr,lfr,mfr,nfr,ofr,pfr,qfr,rfr,sfr,tfr,ufr,vfr,wfr,xfr,yfr,zfr,Aopf,Bopf,,Dopf
1d53c Eopf,Fopf,Gopf,,Iopf,Jopf,Kopf,Lopf,Mopf,,Oopf,,,,Sopf,Topf,Uopf,Vopf,Wopf,Xopf,Yopf,,aopf,bopf,copf,dopf
1d556 eopf,fopf,gopf,hopf,iopf,jopf,kopf,lopf,mopf,nopf,oopf,popf,qopf,ropf,sopf,topf,uopf,vopf,wopf,xopf,yopf
1d56b zopf`

/** Two characters that have a name together: the code of the second, then of each first its code and their names. */
const PAIRS = `
6a 66 fjlig
331 223d race
333 223e acE
338 219d nrarrw 2202 npart 2242 nesim|NotEqualTilde 224b napid 224e nbump|NotHumpDownHump
338 224f nbumpe|NotHumpEqual 2250 nedot 2266 nlE|nleqq 2267 ngE|ngeqq|NotGreaterFullEqual 226a nLtv|NotLessLess
338 226b nGtv|NotGreaterGreater 227f NotSucceedsTilde 228f NotSquareSubset 2290 NotSquareSuperset 22d8 nLl
338 22d9 nGg 22f5 notindot 22f9 notinE 2933 nrarrc 29cf NotLeftTriangleBar 29d0 NotRightTriangleBar
338 2a6d ncongdot 2a70 napE 2a7d nles|nleqslant|NotLessSlantEqual 2a7e nges|ngeqslant|NotGreaterSlantEqual
338 2aa1 NotNestedLessLess 2aa2 NotNestedGreaterGreater 2aaf npre|npreceq|NotPrecedesEqual
338 2ab0 nsce|nsucceq|NotSucceedsEqual 2ac5 nsubE|nsubseteqq 2ac6 nsupE|nsupseteqq
200a 205f ThickSpace
20d2 3c nvlt 3e nvgt 2220 nang 223c nvsim 224d nvap 2264 nvle 2265 nvge 226a nLt 226b nGt
20d2 2282 vnsub|nsubset|NotSubset 2283 vnsup|nsupset|NotSuperset 22b4 nvltrie 22b5 nvrtrie
20e5 3d bne 2261 bnequiv 2afd nparsl
fe00 2229 caps 222a cups 2268 lvnE|lvertneqq 2269 gvnE|gvertneqq 228a vsubne|varsubsetneq
fe00 228b vsupne|varsupsetneq 2293 sqcaps 2294 sqcups 22da lesg 22db gesl 2aac smtes 2aad lates
fe00 2acb vsubnE|varsubsetneqq 2acc vsupnE|varsupsetneqq`

/** What a name stands for. */
export interface NamedCharacters {
  readonly characters: string
  /** Whether it is read without a semicolon, too, as pages of old are written. */
  readonly bare: boolean
}

/** What the names stand for: 2,125, as they are written between `&` and `;`. */
export function readCharacterNames(): ReadonlyMap<string, NamedCharacters> {
  const known = new Map<string, NamedCharacters>()
  const add = (names: string, characters: string): void => {
    for (const name of names.split('|')) known.set(name.replace('!', ''), { characters, bare: name.endsWith('!') })
  }
  for (const line of CHARACTERS.trim().split('\n')) {
    const [first = '', names = ''] = line.split(' ')
    const code = parseInt(first, 16)
    names.split(',').forEach((each, at) => {
      if (each !== '') add(each, String.fromCodePoint(code + at))
    })
  }
  for (const line of PAIRS.trim().split('\n')) {
    const [second = '', ...firsts] = line.split(' ')
    for (let at = 0; at < firsts.length; at += 2) {
      add(firsts[at + 1]!, String.fromCodePoint(parseInt(firsts[at]!, 16), parseInt(second, 16)))
    }
  }
  return known
}
