"""The maths of the paper's estimators: sparse variational Gaussian processes over arms.

Notation of the whole sub-package; a module lists only what is special to it.

==============  ============  =================================================================
symbol          shape         meaning
==============  ============  =================================================================
A, B                          arms in a call; rows of observed arms, padded to a few sizes
E                             rows of arms without a label ("the rest"), padded
D, H, d                       inputs per arm; width of the last hidden layer (D without hidden
                              layers); size of the embedding
L, m, S, Q                    latent functions (1 or 2); inducing points; draws; quadrature nodes
X               (B, D)        inputs: one-hot values, or scaled numbers for ordered attributes
V, Z            (B, d),       embedded arms; embedded inducing points
                (m, d)
f, g            (B,)          latent values of an arm
phi, psi        (B,)          mean sigmoid(f) and scale softplus(g) of the arm's Beta
alpha, beta     (B,)          softplus(f) and softplus(g), in the other parameterisation
rho             (B,)          accuracy of an arm
n, c            (B,)          labels of an arm and how many are right, 0 <= c <= n, both with the
                              pseudo-counts lambda
w               (B,)          how many arms a row stands for; 0 for padding
mean, variance  (L, B)        moments of the latent values under q, f first
s, length       (L,), (L, 1)  variance of each latent function, and length of its kernel (L, d
                              with one length per dimension)
C, Cmm, Cmb     (L, ., .)     correlations; among inducing points; between them and arms
R, u            (L, m, m),    Cholesky root of Cmm = R R'; whitened correlations u = R⁻¹ Cmb
                (L, m, B)
m0, mu, T       (L,), (L, m), constant mean, mean of q(v) and root of its covariance, lower
                (L, m, m)     triangular: ``constant``, ``mean`` and ``root`` of ``Params``
==============  ============  =================================================================

"The text" is the paper, with its equations by name; "the research code" is what its authors ran,
if the two differ.
"""
