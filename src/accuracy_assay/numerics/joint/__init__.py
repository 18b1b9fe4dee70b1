"""P(a|x): joint distributions over attribute combinations, from predictors' probabilities.

::

    log P(a|x) = sum_k s_k log M_k(a_k|x) + N(a) - log Z(x)

Notation of the whole sub-package; a module lists only what is special to it.

===========  ============  =====================================================================
symbol       shape         meaning
===========  ============  =====================================================================
n, m                       rows of instances; rows whose gold attributes are known
D, U                       gold rows (the seed set) and pool rows (gold unknown)
K, V_k, V                  attributes; values of attribute k; V = sum_k V_k
A                          arms: A = prod_k V_k combinations, last attribute fastest
a, a_k                     an arm, and its code of attribute k
M_k          (n, V_k)      probabilities that the predictor of attribute k gives
log_m        K of (n, V_k) log M_k; for an exact attribute 0 at its value and ``BARRED`` elsewhere;
                           0 everywhere for an unknown one
T_k, s_k     (K,)          temperature, which divides log M_k (Guo et al. 2017), and sharpness
                           s_k = 1 / T_k, which multiplies it and is what is fitted
F_k          (n, V_k)      factors M_k^s_k, scaled to a largest entry of one in each row
N            (A,)          joint potential: how natural a combination is, in logs
Z            (n,)          normaliser (partition) of each row
pi, pi_k     (A,), (V_k,)  probabilities of combinations, and of the values of one attribute
head, tail   (n, H),       products (or sums of logs) over the front attributes and over the back
             (n, L)        ones; the attributes are split so that H and L are both about sqrt(A)
H, L                       combinations of the front and of the back attributes; A = H L
W            (H, L)        exp(N - max N) as a table of head by tail
block B                    attributes that share one table, with one axis for each of them
G_j, c_j, J  (A,), (), ()  log-ratio of joint prior j to the product of its marginals, the
                           coefficient that it gets, and the number of such priors
b_k          (V_k,)        bias of each value of attribute k
q(a|x)       (n, S)        distribution that arms are drawn from, S arms per row
===========  ============  =====================================================================

Sparse rows of probabilities are three arrays of one length: ``owner`` (row of each entry, sorted),
``index`` (its arm) and ``weights`` (its probability).
"""
