"""The Gaussian process of ``anova-gp``: kernel, posterior, hyper-parameters, value of a label.

Notation of the whole sub-package; a module lists only what it adds. Capitals without a shape are
numbers of things, and each symbol has one meaning.

===========  ===============  =====================================================================
symbol       shape            meaning
===========  ===============  =====================================================================
J, T         numbers          observed cells (padded); target cells, at which the model predicts
R            number           rows of labels; with exact attributes a row is a cell and R = J
mu           scalar           constant mean of the logits, the first entry of theta
theta        (n_parameters,)  hyper-parameters; ``anova.Layout`` says which entry is which
K            (J, J)           kernel matrix; K* (T, J) and K** (T, T) with targets
eta          (J,)             logits, mu + f
f            (J,)             their deviation from mu, N(0, K) before any label
rho          (J,)             accuracies, sigmoid(eta)
y, n         (R,)             successes and trials of each row; either may be fractional
P            (R, J)           mixture: probability that the row's label is one of the cell
q            (R,)             success probability of each row, P rho
W            (J, J)           Fisher information of eta
G            (J, J) or (J,R)  a root of W = G G', or its diagonal (J,)
B            as G' G          I + G' K G
H            (J, J)           H' H = G B^-1 G'
g            (J,)             d log p(y | eta) / d eta at the mode, K^-1 f there
C            (J, J) or (T,T)  posterior covariance of eta
V            (T, J)           K* H', so that C = K** - V V'
log Z        scalar           Laplace approximation of the log of the evidence p(y | theta)
A, I         numbers          targets of a strategy (arms); kinds of label that it may ask for
M            (A, I)           covariance of each target with the success probability of each kind
S            (I, I)           covariance of the success probabilities among themselves
D            (I,)             variance of one label of each kind
h            (I,)             share of one row in the target that it is part of
===========  ===============  =====================================================================
"""
