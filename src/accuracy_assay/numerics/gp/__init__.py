"""The Gaussian process of ``anova-gp``: kernel, posterior, hyper-parameters, value of a label.

Notation of the whole sub-package; a module lists only what it adds.

| symbol | shape            | meaning                                                            |
|--------|------------------|--------------------------------------------------------------------|
| J, T   | numbers          | observed cells (padded); target cells, at which the model predicts |
| R      | number           | rows of labels; with exact attributes a row is a cell and R = J    |
| theta  | (n_parameters,)  | hyper-parameters; ``anova.Layout`` says which entry is which       |
| mu     | scalar           | prior mean of the logits; its uncertainty is part of K             |
| K      | (J, J)           | kernel matrix; ``K*`` (T, J) and ``K**`` (T, T) with targets       |
| f      | (J,)             | deviation of the logits from mu, N(0, K) before any label          |
| eta    | (J,)             | logits, mu + f                                                     |
| rho    | (J,)             | accuracies, sigmoid(eta)                                           |
| y, n   | (R,)             | successes and trials of each row; either may be fractional         |
| P      | (R, J), sparse   | mixture: the probability that a row is of a cell; sums to one      |
| q      | (R,)             | success probability of each row, P rho                             |
| W      | (J, J)           | Fisher information of eta; diagonal where rows are cells           |
| G      | (J,)             | diagonal of a root, W = G G', where rows are cells                 |
| B      | (J, J)           | I + G' K G                                                         |
| H      | (J, J)           | H' H = G B^-1 G' = (K + W^-1)^-1                                   |
| g      | (J,)             | slope of the log-likelihood along eta at the mode, K^-1 f          |
| C      | (J, J) or (T, T) | posterior covariance of eta                                        |
| V      | (T, J)           | ``K* H'``, so that ``C = K** - V V'``                              |
| log Z  | scalar           | Laplace approximation of log p(labels | theta)                     |
| A, I   | numbers          | targets of a strategy (arms); kinds of label that it may ask for   |
| M      | (A, I)           | covariance of each target with each kind's success probability     |
| S      | (I, I)           | covariance of the success probabilities among themselves           |
| D      | (I,)             | variance of one label of each kind                                 |
| h      | (I,)             | share of one row in the target that it is part of                  |
"""
